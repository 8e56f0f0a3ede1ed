import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

const maxOutput = 1024 * 1024;

type Options = Readonly<{ env?: NodeJS.ProcessEnv; timeoutMs: number }>;

/** Runs a program to its end and returns its output. Throws an Error with its standard error output when it fails. */
export const command = async (file: string, args: readonly string[], { env, timeoutMs }: Options): Promise<string> => {
  try {
    const { stdout } = await run(file, args, {
      timeout: timeoutMs,
      maxBuffer: maxOutput,
      ...(env && { env }),
    });
    return stdout;
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw stderr === '' ? error : new Error(stderr, { cause: error });
  }
};
