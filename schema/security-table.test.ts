import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declares, unprovedRights } from './security-table.ts';

const right = { entry: 'Device grant', file: 'a.test.ts', name: 'it refuses' };
const ran = { file: 'a.test.ts', line: 3, name: 'it refuses', isPassed: true };

test('a right is proved where its test ran and passed, the last time counting', () => {
  assert.deepEqual(unprovedRights([right], [ran]), []);
  assert.deepEqual(unprovedRights([right], [{ ...ran, isPassed: false }, ran]), []);
  assert.match(unprovedRights([right], [ran, { ...ran, isPassed: false }]).join(), /"it refuses" for "Device grant"/);
  assert.equal(unprovedRights([right], [{ ...ran, name: 'another' }]).length, 1);
  assert.deepEqual(
    unprovedRights([right], [{ ...ran, file: 'b.test.ts' }]),
    [],
    'a run without its file tells nothing',
  );
});

test('a test behind a comment, one that is skipped and a mere mention are no declarations', () => {
  assert.equal(declares("test('it refuses', () => {});", right.name), true);
  for (const source of [
    "// test('it refuses', () => {});",
    "  // test('it refuses', () => {});",
    "test.skip('it refuses', () => {});",
    "test.todo('it refuses');",
    "const text = `test('it refuses', `;",
  ])
    assert.equal(declares(source, right.name), false, source);
});
