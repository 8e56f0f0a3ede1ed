import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { declares, rightsIn } from '@landfall/schema/security-table.ts';

const root = join(import.meta.dirname, '../..');

// A whole run of the tests also refuses a row whose test did not pass (scripts/test.ts).
test('every row of the table of rights names a test that is there', async () => {
  const all = rightsIn(root);
  assert.ok(all.length >= 15, `${all.length} rows`);
  for (const { entry, file, name } of all) {
    assert.notEqual(file, '', `${entry} names no test`);
    const source = await readFile(join(root, file), 'utf8');
    assert.ok(declares(source, name), `${file} has no test "${name}"`);
  }
});
