import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillLog } from '../testing/fill-log.ts';
import { appendRange, bodyOf, ORIGIN, testLog } from './test-log.fixture.ts';

const tables = {
  entries: 'select idx::text, body, leaf_hash, body_hash from tlog.entries order by idx',
  tiles: 'select level, tile_index::text, width, hashes from tlog.tiles order by level, tile_index',
  newest: 'select size::text, root_hash from tlog.checkpoints order by size desc limit 1',
};

test('a log that was filled at once has the rows of one that was appended to', async () => {
  await using appended = await testLog();
  await using filled = await testLog();
  for (const [from, to] of [
    [0, 1],
    [1, 2],
    [2, 255],
    [255, 256],
    [256, 511],
    [511, 700],
  ] as const)
    await appendRange(appended, from, to);
  await fillLog({ ...filled.deps, origin: ORIGIN, signer: await filled.keys.signer('log') }, 700, bodyOf);
  for (const [name, statement] of Object.entries(tables)) {
    const [one, other] = await Promise.all([appended.tamper(statement), filled.tamper(statement)]);
    assert.ok(one.rows.length > 0);
    assert.deepEqual(other.rows, one.rows, name);
  }
});

test('a log that was filled at once is appended to and proved like any other', async () => {
  await using fixture = await testLog();
  const { log, keys, deps } = fixture;
  await fillLog({ ...deps, origin: ORIGIN, signer: await keys.signer('log') }, 5_000, bodyOf);
  assert.equal((await log.append(bodyOf(5_000))).index, 5_000);
  for (const index of [0, 4_095, 4_096, 4_999]) assert.ok((await log.find(index))?.body.equals(bodyOf(index)));
  assert.ok(await log.consistency(4_097));
});
