import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { minimalEnvironment } from '@landfall/kernel/testing/programs';
import { timed } from '@landfall/kernel/testing/timed';
import { until } from '@landfall/kernel/testing/until';

const MAIN = join(import.meta.dirname, '../main.ts');

/** Line that a process logs once all its listeners are open. */
const READY_MESSAGE = 'Landfall is ready';

/** First port to try, below the range of ephemeral ports, so that no other connection takes it. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;
const usedPorts = new Set<number>();

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1');
  const isOpen = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (isOpen) await new Promise((resolve) => server.close(resolve));
  return isOpen;
};

/** Finds distinct free ports. */
export const freePorts = async (count: number): Promise<number[]> => {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (usedPorts.has(port)) continue;
    usedPorts.add(port);
    if (await isFree(port)) ports.push(port);
  }
  return ports;
};

export interface Started extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Output of the process so far. */
  output(): string;
}

const isReady = async (url: string): Promise<boolean> => {
  const response = await fetch(`${url}/readyz`).catch(() => undefined);
  await response?.text();
  return response?.ok ?? false;
};

/**
 * Starts a process of the product and waits until it and its dependencies are ready, by its own log, since another
 * program may answer on its port.
 * @throws Error with its output when it exits, also later
 */
export const startProcess = async (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  url: string,
): Promise<Started> => {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...minimalEnvironment(), NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const completed = (): Error =>
    new Error(`${args.join(' ')} ended with ${child.exitCode ?? child.signalCode}:\n${output}`);
  const stop = async (): Promise<void> => {
    // A process that ended by itself with a failure is reported; one that was killed on purpose is not.
    if (child.exitCode !== null && child.exitCode !== 0) throw completed();
    if (!hasEnded()) child.kill('SIGTERM');
    await exited;
  };
  await timed('boot', () =>
    until(() => {
      if (hasEnded()) throw completed();
      return output.includes(READY_MESSAGE) && isReady(url);
    }),
  );
  return { child, output: () => output, [Symbol.asyncDispose]: stop };
};
