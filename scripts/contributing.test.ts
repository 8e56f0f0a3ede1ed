import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { root } from './run-program.ts';

/** A row of the table: a rule, a file from the root, and perhaps one from the folder above or beside that file. */
const ROW = /^\| [^|`]+ \| `((?:subgraphs|gateway)\/[^`]+\.ts)`(?:, `([^`]+\.ts)`)? \|$/gm;

const isThere = (path: string): Promise<boolean> =>
  access(join(root, path)).then(
    () => true,
    () => false,
  );

test('CONTRIBUTING.md names the files in which the rules are', async () => {
  const rows = [...(await readFile(join(root, 'CONTRIBUTING.md'), 'utf8')).matchAll(ROW)];
  assert.ok(rows.length >= 15, `${rows.length} rules`);
  for (const [, file = '', other] of rows) {
    assert.ok(await isThere(file), file);
    const [, subgraph = ''] = /^(subgraphs\/[^/]+)\//.exec(file) ?? [];
    const candidates = [dirname(file), subgraph].map((folder) => join(folder, other ?? ''));
    const [neighbour, above] = await Promise.all(candidates.map(isThere));
    assert.ok(neighbour || above, `${other} of ${file}`);
  }
});
