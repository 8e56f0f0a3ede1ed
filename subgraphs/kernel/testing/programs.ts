import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

const isInstalled = async (program: string): Promise<boolean> => {
  for (const directory of (process.env.PATH ?? '').split(delimiter))
    if (
      await access(join(directory, program), constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return true;
  return false;
};

/** Options of tests that use these programs: skipped where one is not installed, with the reason. */
export const needs = async (...programs: readonly string[]): Promise<{ readonly skip?: string }> => {
  const missing: string[] = [];
  for (const program of programs) if (!(await isInstalled(program))) missing.push(program);
  return missing.length === 0 ? {} : { skip: `needs ${missing.join(' and ')}` };
};

/**
 * Environment variables of this process that a program needs to start: none that could change its behaviour, but the
 * directory of compiled modules, since a start without them takes twice the processor time.
 */
export const minimalEnvironment = (): Readonly<Record<string, string>> => {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) };
};
