import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { minimalEnvironment } from '@landfall/kernel/testing/programs';
import { run } from '../landfall.ts';

const PROGRAM = join(import.meta.dirname, '../landfall.ts');

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Surroundings {
  /** Complete environment of the command. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input. */
  readonly input?: string;
}

interface ProgramOptions {
  readonly flags?: readonly string[];
  /** Standard input that is no text. */
  readonly bytes?: Uint8Array;
}

/** Runs a command in this process, like the program. */
export const landfall = async (
  args: readonly string[],
  { env = {}, input = '' }: Surroundings = {},
): Promise<Ended> => {
  let [out, err] = ['', ''];
  const code = await run(args, {
    env,
    readInput: async () => input,
    print: (line) => {
      out += `${line}\n`;
    },
    warn: (line) => {
      err += `${line}\n`;
    },
  });
  return { code, out, err };
};

/** Runs the real program with only the given environment and what a start needs. */
export const landfallProgram = async (
  args: readonly string[],
  { env = {}, flags = [], input = '', bytes }: Surroundings & ProgramOptions = {},
): Promise<Ended> => {
  const child = spawn(process.execPath, [...flags, PROGRAM, ...args], {
    env: { ...minimalEnvironment(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A command that ends without reading closes the pipe first.
  child.stdin.on('error', () => undefined);
  child.stdin.end(bytes ?? input);
  const exited = once(child, 'exit');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await exited;
  return { code, out, err };
};
