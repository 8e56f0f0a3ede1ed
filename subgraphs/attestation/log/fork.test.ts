import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { signCheckpoint } from '../signature/checkpoint.ts';
import { LogForked } from './log-forked.ts';
import { appendRange, bodyOf, ORIGIN, type TestLog, testLog } from './test-log.fixture.ts';

const newest = `size = (select max(size) from tlog.checkpoints)`;

/** Forgeries by an owner of the database of a log with 300 entries, whose last checkpoints have 299 and 300. */
const forgeries: Readonly<Record<string, (fixture: TestLog) => Promise<unknown>>> = {
  'an edited hash of an open tile': ({ tamper }) =>
    tamper(
      `update tlog.tiles set hashes = set_byte(hashes, 5, get_byte(hashes, 5) # 1) where level = 0 and tile_index = 1`,
    ),
  'an edited hash of an upper tile': ({ tamper }) =>
    tamper(`update tlog.tiles set hashes = set_byte(hashes, 5, get_byte(hashes, 5) # 1) where level = 1`),
  'a tile that is gone': ({ tamper }) => tamper(`delete from tlog.tiles where level = 1`),
  'a tile that is wider than the tree': ({ tamper }) =>
    tamper(`update tlog.tiles set hashes = hashes || sha256('more') where level = 0 and tile_index = 1`),
  'a tile beyond the tree': ({ tamper }) =>
    tamper(`insert into tlog.tiles (log_id, level, tile_index, hashes) select id, 0, 2, sha256('more') from tlog.logs`),
  'an edited entry': ({ tamper }) => tamper(`update tlog.entries set body = body || ' ' where idx = 290`),
  'a deleted entry': ({ tamper }) => tamper(`delete from tlog.entries where idx = 290`),
  'a deleted last entry': ({ tamper }) => tamper(`delete from tlog.entries where idx = 299`),
  'an entry that nobody logged': ({ tamper }) =>
    tamper(`insert into tlog.entries (log_id, idx, body) select id, 300, 'smuggled' from tlog.logs`),
  'a deleted checkpoint': ({ tamper }) => tamper(`delete from tlog.checkpoints where ${newest}`),
  'no checkpoint at all': ({ tamper }) => tamper(`delete from tlog.checkpoints`),
  'another root': ({ tamper }) => tamper(`update tlog.checkpoints set root_hash = sha256('x') where ${newest}`),
  'a larger size': ({ tamper }) => tamper(`update tlog.checkpoints set size = 301 where ${newest}`),
  'the note of an earlier checkpoint': ({ tamper }) =>
    tamper(`update tlog.checkpoints set note = (select note from tlog.checkpoints where size = 299) where ${newest}`),
  'a foreign signature': async ({ tamper, log }) => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const checkpoint = await log.newest();
    assert.ok(checkpoint);
    const spki = publicKey.export({ type: 'spki', format: 'der' });
    const note = await signCheckpoint(ORIGIN, checkpoint, {
      spki,
      sign: async (bytes) => sign(null, bytes, privateKey),
    });
    return tamper(`update tlog.checkpoints set note = $1 where ${newest}`, [note]);
  },
};

const checkpointsOf = async ({ tamper }: TestLog) =>
  (await tamper('select size::text, note from tlog.checkpoints order by size')).rows;

for (const [name, forge] of Object.entries(forgeries))
  test(`${name}: any process refuses to sign on top of it`, async () => {
    await using fixture = await testLog();
    await appendRange(fixture, 0, 299);
    await appendRange(fixture, 299, 300);
    await forge(fixture);
    const before = await checkpointsOf(fixture);
    for (const { log } of [fixture, fixture.another()]) await assert.rejects(log.append(bodyOf(1_000)), LogForked);
    assert.deepEqual(await checkpointsOf(fixture), before);
  });

test('a whole earlier state is refused by the process that signed a later one', async () => {
  await using fixture = await testLog();
  await appendRange(fixture, 0, 10);
  const { rows } = await fixture.tamper('select hashes from tlog.tiles');
  await appendRange(fixture, 10, 20);
  await fixture.tamper(`delete from tlog.checkpoints where size = 20`);
  await fixture.tamper(`delete from tlog.entries where idx >= 10`);
  await fixture.tamper('update tlog.tiles set hashes = $1', [rows[0].hashes]);
  await assert.rejects(fixture.log.append(bodyOf(50)), /signed a tree of 20; the newest checkpoint has 10/);
});

test('another history of the same and of a larger size is refused by the process that signed the first', async () => {
  await using fixture = await testLog();
  await appendRange(fixture, 0, 10);
  for (const size of [10, 20]) {
    await fixture.tamper('truncate tlog.cosignatures, tlog.checkpoints, tlog.tiles, tlog.entries');
    const { log } = fixture.another();
    await Promise.all(Array.from({ length: size }, (_, index) => log.append(bodyOf(500 + index))));
    await assert.rejects(
      fixture.log.append(bodyOf(50)),
      /The tree of 10 entries is not the one that this process signed/,
    );
  }
});

test('no proof is given of what somebody changed in a full tile', async () => {
  await using fixture = await testLog();
  await appendRange(fixture, 0, 600);
  const { log, tamper } = fixture;
  await tamper(`update tlog.entries set body = body || ' ' where idx = 3`);
  await assert.rejects(log.find(3), LogForked);
  assert.ok(await log.find(4));
  await tamper(
    `update tlog.tiles set hashes = set_byte(hashes, 0, get_byte(hashes, 0) # 1) where level = 0 and tile_index = 0`,
  );
  await assert.rejects(log.find(4), LogForked);
  await assert.rejects(log.consistency(5), LogForked);
  await tamper(`delete from tlog.entries where idx = 400`);
  await assert.rejects(log.find(400), /entry 400 is gone/);
});
