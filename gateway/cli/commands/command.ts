import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** Exit code of a command: good, wrong, or not checkable. */
export type ExitCode = 0 | 1 | 2;

/** One command of the program. */
export interface Command {
  /** Its help, from its own line of usage on. */
  readonly help: string;
  /** @param say writes a line of the answer */
  run(args: readonly string[], say: (line: string) => void): Promise<ExitCode>;
}

/** The command line cannot be understood; the message says what is wrong with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Something stands in the way of the check itself; the message says what, and what to do. */
export class CannotCheck extends Error {
  override readonly name = 'CannotCheck';
}

/**
 * Flags and arguments of a command.
 * @param isOpen the last argument may stand several times
 * @throws UsageError for a flag that is unknown, and for another number of arguments
 */
export const parse = <const T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  {
    options,
    names,
    isOpen = false,
  }: { readonly options: T; readonly names: readonly string[]; readonly isOpen?: boolean },
) => {
  const parsed = (() => {
    try {
      return parseArgs({ args: [...args], options, allowPositionals: true });
    } catch (error) {
      // Node's first sentence says what is wrong; the others are about its own conventions.
      const [said = ''] = String(error instanceof Error ? error.message : error).split(/\. |\n/);
      throw new UsageError(`${said}.`);
    }
  })();
  const { length } = parsed.positionals;
  const missing = names[length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing.`);
  if (length > names.length && !isOpen)
    throw new UsageError(`Unexpected argument '${parsed.positionals[names.length]}'.`);
  return parsed;
};

/** Far above any file that a command takes. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** A text file of the caller's, from where the caller stands: npm goes to the package's directory first. */
export const readText = async (path: string): Promise<string> => {
  const whole = resolve(process.env.INIT_CWD ?? process.cwd(), path);
  try {
    const { size } = await stat(whole);
    if (size > MAX_FILE_BYTES) throw new CannotCheck(`${path} is too large: ${size} bytes.`);
    return await readFile(whole, 'utf8');
  } catch (error) {
    if (error instanceof CannotCheck) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new CannotCheck(`${path} cannot be read (${code}).`);
  }
};
