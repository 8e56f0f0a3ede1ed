import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Server to compare with, in its own process. */
interface Peer extends AsyncDisposable {
  readonly pid: number;
  readonly origin: string;
}

/** Reads the first line that is an address; a library may print other lines before it. */
const addressOf = async (output: NodeJS.ReadableStream): Promise<string> => {
  for await (const line of createInterface({ input: output })) if (line.startsWith('http://')) return line;
  throw new Error('ended without an address');
};

/** Starts a program of this folder that prints its address. */
export const startPeer = async (program: string, settings: object): Promise<Peer> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, program), JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const origin = await addressOf(child.stdout);
  child.stdout.resume();
  return {
    pid: child.pid ?? 0,
    origin,
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
};
