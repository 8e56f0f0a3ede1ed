import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const PROGRAM = join(import.meta.dirname, '../landfall.ts');

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the real program, in an environment that has nothing but what is given. */
export const landfall = async (
  args: readonly string[],
  {
    env = {},
    flags = [],
    input = '',
  }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly flags?: readonly string[];
    /** Standard input. */
    readonly input?: string;
  } = {},
): Promise<Ended> => {
  const child = spawn(process.execPath, [...flags, PROGRAM, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  // A command that ends without reading closes the pipe first.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const exited = once(child, 'exit');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await exited;
  return { code, out, err };
};
