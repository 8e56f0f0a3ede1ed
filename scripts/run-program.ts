import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

/** Runs a program in the root directory with inherited output; resolves with the exit code. */
export const runProgram = async (
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<number> => {
  const child = spawn(file, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  const [code] = await once(child, 'exit');
  return typeof code === 'number' ? code : 1;
};

/** Runs one of our files with this Node. */
export const runFile = (file: string, args: readonly string[] = []): Promise<number> =>
  runProgram(process.execPath, [join(root, file), ...args]);

/** Runs an installed tool's script, for instance `typescript/bin/tsc`. */
export const runTool = (script: string, args: readonly string[]): Promise<number> =>
  runFile(join('node_modules', script), args);
