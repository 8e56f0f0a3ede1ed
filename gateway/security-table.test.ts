import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');

/** Rows of the table in docs/security.md: the door, and the file and name of its test. */
const rows = async () => {
  const page = await readFile(join(root, 'docs/security.md'), 'utf8');
  const lines = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Door'));
  return lines.map((line) => {
    const cells = line.split(' | ');
    const [, file = '', name = ''] = /^`([^`]+\.test\.ts)`: (.+?) \|$/.exec(cells.at(-1) ?? '') ?? [];
    return { door: cells[0], file, name };
  });
};

test('every row of the table of rights names a test that is there', async () => {
  const all = await rows();
  assert.ok(all.length >= 15, `${all.length} rows`);
  for (const { door, file, name } of all) {
    assert.notEqual(file, '', `${door} names no test`);
    const source = await readFile(join(root, file), 'utf8');
    assert.ok(source.includes(`test('${name}'`), `${file} has no test "${name}"`);
  }
});
