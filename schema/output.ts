import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { repository } from './sdl.ts';

/** Generated text by path from the root; undefined is a file that must not be there. */
type Files = ReadonlyMap<string, string | undefined>;

export type Outcome = {
  readonly files: Files;
  /** Why the output must not be used, one line each. */
  readonly problems: readonly string[];
};

const current = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

/** Files on disk whose content is out of date. */
export const stale = (root: string, files: Files): string[] =>
  [...files].filter(([path, text]) => current(join(root, path)) !== text).map(([path]) => path);

/**
 * Writes the files that differ from those on disk.
 * @returns their paths
 */
export function write(root: string, files: Files): string[] {
  const changed = stale(root, files);
  for (const path of changed) {
    const text = files.get(path);
    const target = join(root, path);
    if (text === undefined) rmSync(target);
    else {
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
    }
  }
  return changed;
}

/** Command-line options of a script of this folder. */
export const scriptOptions = () =>
  parseArgs({
    options: {
      root: { type: 'string', default: repository },
      check: { type: 'boolean', default: false },
      release: { type: 'boolean', default: false },
    },
  }).values;

/** Ends a script: problems or, with --check, stale files are printed and fail the process. */
export function finish(root: string, { files, problems }: Outcome, check: boolean): void {
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
  else if (!check) for (const path of write(root, files)) process.stdout.write(`wrote ${path}\n`);
  else
    for (const path of stale(root, files)) {
      process.stderr.write(`stale: ${path} (npm run codegen)\n`);
      process.exitCode = 1;
    }
}
