/** The table of rights in docs/security.md against the tests that it names. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RanTest } from './proved-claims.ts';

/** A row: a way to come to hold more, and the test that tries it. */
interface Right {
  readonly entry: string;
  /** Empty where the row names no test. */
  readonly file: string;
  readonly name: string;
}

export const rightsIn = (root: string): readonly Right[] => {
  const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
  const lines = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Entry point'));
  return lines.map((line) => {
    const cells = line.split(' | ');
    const [, file = '', name = ''] = /^`([^`]+\.test\.ts)`: (.+?) \|$/.exec(cells.at(-1) ?? '') ?? [];
    return { entry: cells[0]?.slice(2) ?? '', file, name };
  });
};

/** Whether a source declares a test at the beginning of a line: neither skipped nor behind a comment's slashes. */
export const declares = (source: string, name: string): boolean =>
  source.split('\n').some((line) => line.startsWith(`test('${name}',`));

/** Rows whose test's file was executed and whose test did not run and pass, a line each. */
export const unprovedRights = (rights: readonly Right[], tests: readonly RanTest[]): string[] => {
  const files = new Set(tests.map((test) => test.file));
  return rights
    .filter(({ file }) => files.has(file))
    .filter(({ file, name }) => tests.findLast((test) => test.file === file && test.name === name)?.isPassed !== true)
    .map(
      ({ entry, file, name }) => `${file}: docs/security.md has "${name}" for "${entry}", and it did not run and pass`,
    );
};
