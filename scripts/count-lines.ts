/**
 * Counts lines of product code: TypeScript, TSX, CSS and SQL without tests, fixtures, benches, generated and recorded files.
 *
 *   node scripts/count-lines.ts                 the working tree, a line for each workspace
 *   node scripts/count-lines.ts <commit> …      a column for each commit as well
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { workspaceOf } from './lint/sources.ts';
import { root } from './run-program.ts';

const COUNTED = /^(?:schema|subgraphs|rest-compat|gateway|console|scripts)\/.*\.(?:tsx?|css|sql)$/;
const NOT_PRODUCT =
  /\.test\.tsx?$|\.fixtures?\.ts$|\.model\.ts$|fixtures\.ts$|\/testing\/|^gateway\/(?:bench|proofs)\/|\/(?:generated|queries)\/|generated\.ts$|^rest-compat\/(?:golden|replay)|\/kit\//;

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });

const isProduct = (file: string): boolean => COUNTED.test(file) && !NOT_PRODUCT.test(file);

/** Lines of a text that hold anything. */
const linesOf = (text: string): number => text.split('\n').filter((line) => line.trim() !== '').length;

/** Lines by workspace, in a commit or (undefined) in the working tree. */
const count = (commit: string | undefined): Map<string, number> => {
  const listed = commit === undefined ? git('ls-files') : git('ls-tree', '-r', '--name-only', commit);
  const total = new Map<string, number>();
  for (const file of listed.split('\n').filter(isProduct)) {
    if (commit === undefined && !existsSync(join(root, file))) continue;
    const text = commit === undefined ? readFileSync(join(root, file), 'utf8') : git('show', `${commit}:${file}`);
    total.set(workspaceOf(file), (total.get(workspaceOf(file)) ?? 0) + linesOf(text));
  }
  return total;
};

const columns = [...argv.slice(2).map((commit) => ({ name: commit.slice(0, 12), lines: count(commit) }))];
columns.push({ name: 'working tree', lines: count(undefined) });
const workspaces = [...new Set(columns.flatMap(({ lines }) => [...lines.keys()]))].toSorted();
const row = (cells: readonly (string | number)[]): string =>
  cells.map((cell, index) => (index === 0 ? String(cell).padEnd(26) : String(cell).padStart(14))).join('');

console.log(row(['non-empty lines', ...columns.map(({ name }) => name)]));
for (const workspace of workspaces)
  console.log(row([workspace, ...columns.map(({ lines }) => lines.get(workspace) ?? 0)]));
console.log(row(['total', ...columns.map(({ lines }) => [...lines.values()].reduce((sum, value) => sum + value, 0))]));
