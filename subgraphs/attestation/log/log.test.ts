import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leafHash, verifyConsistency, verifyInclusion } from '@landfall/kernel/crypto/merkle';
import { openCheckpoint } from '../signature/checkpoint.ts';
import { ed25519KeyId } from '../signature/signed-note.ts';
import { appendRange, bodyOf, ORIGIN, type TestLog, testLog } from './test-log.fixture.ts';
import type { LoggedEntry } from './transparency-log.ts';

const assertProved = async ({ keys }: TestLog, entry: LoggedEntry): Promise<void> => {
  const { index, treeSize: size, rootHash: root, hashes: path, body, checkpoint } = entry;
  assert.ok(verifyInclusion({ index, size, leafHash: leafHash(body), path, root }), `entry ${index} of ${size}`);
  const opened = openCheckpoint(checkpoint, { origin: ORIGIN, keys: await keys.list('log') });
  assert.deepEqual([opened?.size, opened?.rootHash], [size, root]);
};

test('an entry is proved against a signed checkpoint when it is appended, and whenever it is found', async () => {
  await using fixture = await testLog();
  const { log } = fixture;
  assert.equal(await log.newest(), undefined);
  assert.equal(await log.find(0), undefined);
  assert.equal(await log.consistency(0), undefined);
  const first = await log.append(bodyOf(0));
  await assertProved(fixture, first);
  const rest = await appendRange(fixture, 1, 300);
  for (const entry of rest) await assertProved(fixture, entry);
  for (const index of [0, 1, 254, 255, 256, 299]) {
    const found = await log.find(index);
    assert.ok(found);
    assert.deepEqual([found.index, found.body], [index, bodyOf(index)]);
    await assertProved(fixture, found);
  }
  assert.equal(await log.find(300), undefined);
  assert.equal((await log.newest())?.size, 300);
});

test('a body is one entry, however often and by however many it is appended', async () => {
  await using fixture = await testLog();
  const { log } = fixture;
  const same = await Promise.all(
    [log, fixture.another().log, log].flatMap((each) => [each, each]).map((each) => each.append(bodyOf(7))),
  );
  assert.deepEqual(new Set(same.map(({ index }) => index)), new Set([0]));
  const [repeated, other] = await Promise.all([log.append(bodyOf(7)), log.append(bodyOf(8))]);
  assert.deepEqual([repeated.index, other.index, repeated.treeSize], [0, 1, 2]);
  await assertProved(fixture, repeated);
  assert.equal((await log.append(bodyOf(7))).treeSize, 2);
});

test('64 callers are answered by one commit', async () => {
  await using fixture = await testLog();
  await fixture.log.append(bodyOf(0));
  fixture.statements.length = 0;
  const entries = await appendRange(fixture, 1, 65);
  assert.equal(fixture.statements.filter((name) => name === 'tlog.checkpoints.insert').length, 1);
  assert.deepEqual(new Set(entries.map(({ treeSize }) => treeSize)), new Set([65]));
});

test('processes take turns: together they make one tree without a gap', async () => {
  await using fixture = await testLog();
  const logs = [fixture, fixture.another(), fixture.another()];
  const appends = logs.map(async (each, index) => {
    const entries = [];
    for (let step = 0; step < 15; step++)
      entries.push(...(await appendRange(each, index * 1_000 + step * 7, index * 1_000 + step * 7 + 7)));
    return entries;
  });
  const entries = (await Promise.all(appends)).flat();
  assert.deepEqual(
    entries.map(({ index }) => index).toSorted((a, b) => a - b),
    Array.from({ length: 315 }, (_, index) => index),
  );
  for (const { index, body } of entries) {
    const found = await fixture.log.find(index);
    assert.ok(found?.body.equals(body));
  }
});

test('every earlier tree is proved to be the beginning of the newest one', async () => {
  await using fixture = await testLog();
  const { log } = fixture;
  const roots = new Map<number, Buffer>();
  for (const [from, to] of [
    [0, 1],
    [1, 200],
    [200, 256],
    [256, 257],
    [257, 515],
  ] as const)
    for (const { treeSize, rootHash } of await appendRange(fixture, from, to)) roots.set(treeSize, rootHash);
  for (const [firstSize, firstRoot] of roots) {
    const proof = await log.consistency(firstSize);
    assert.ok(proof);
    const { treeSize: secondSize, rootHash: secondRoot, hashes: path } = proof;
    assert.equal(secondSize, 515);
    assert.ok(verifyConsistency({ firstSize, secondSize, firstRoot, secondRoot, path }), String(firstSize));
  }
  assert.deepEqual((await log.consistency(0))?.hashes, []);
  assert.equal(await log.consistency(516), undefined);
});

test('a proof takes one round trip', async () => {
  await using fixture = await testLog();
  await appendRange(fixture, 0, 300);
  for (const prove of [() => fixture.log.find(17), () => fixture.log.consistency(17)]) {
    fixture.statements.length = 0;
    assert.ok(await prove());
    assert.deepEqual(fixture.statements, ['tlog.tiles.listMaterial']);
  }
});

test('after a rotation old checkpoints verify under the old key, and the log goes on under the new one', async () => {
  await using fixture = await testLog();
  const { log, keys, another } = fixture;
  const before = await log.append(bodyOf(0));
  const other = another().log;
  await other.append(bodyOf(1));
  const { keyId: oldId } = await log.identity();
  const rotated = await keys.rotate('log');
  const after = await log.append(bodyOf(2));
  await other.append(bodyOf(3));
  const { keyId, keys: all } = await log.identity();
  assert.deepEqual(keyId, ed25519KeyId(ORIGIN, rotated.spki));
  assert.notDeepEqual(keyId, oldId);
  assert.equal(all.length, 2);
  const signerOf = (note: string) => openCheckpoint(note, { origin: ORIGIN, keys: all })?.key.keyId;
  assert.equal(signerOf(after.checkpoint), rotated.keyId);
  assert.equal(signerOf(before.checkpoint), all.find(({ keyId: id }) => id !== rotated.keyId)?.keyId);
  await assertProved(fixture, before);
});

test('a body that no bundle of entries can hold is refused', async () => {
  await using fixture = await testLog();
  await assert.rejects(fixture.log.append(Buffer.alloc(0)), RangeError);
  await assert.rejects(fixture.log.append(Buffer.alloc(65_536)), RangeError);
  const largest = await fixture.log.append(Buffer.alloc(65_535, 1));
  assert.equal((await fixture.log.find(largest.index))?.body.length, 65_535);
});
