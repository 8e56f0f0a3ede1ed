import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogForked } from '@landfall/attestation/log/log-forked';
import { appendRange, bodyOf, ORIGIN, type TestLog, testLog } from '@landfall/attestation/log/test-log.fixture';
import pg from 'pg';
import { startAttestedApp } from './landing.fixture.ts';

type Tamper = TestLog['tamper'];

/** Truncates the log to its present size later, as the owner of the database could. */
const truncator = async (tamper: Tamper) => {
  const { rows } = await tamper('select max(size)::integer as size from tlog.checkpoints');
  const { size } = rows[0];
  const { rows: tiles } = await tamper('select level, tile_index, hashes from tlog.tiles');
  return async () => {
    await tamper('delete from tlog.checkpoints where size > $1', [size]);
    await tamper('delete from tlog.entries where idx >= $1', [size]);
    for (const { level, tile_index, hashes } of tiles)
      await tamper('update tlog.tiles set hashes = $3 where level = $1 and tile_index = $2', [
        level,
        tile_index,
        hashes,
      ]);
  };
};

/** Appends a seal entry at an index of the log. */
const sealAt = (tamper: Tamper, index: number, origin = ORIGIN) =>
  tamper(
    `insert into kernel.event_seals (sequence, first_xid, first_id, last_xid, last_id, count, root, leaves, cursors,
      sealed_at, hash, log_index, log_origin)
    values ($1::integer + 1, '1', 1, '1', 1, 1, '', '', '', now(), '', $1, $2)`,
    [index, origin],
  );

const checkpoints = async (tamper: Tamper) =>
  (await tamper('select count(*)::integer as n from tlog.checkpoints')).rows;

test('a log that was cut back below what statements were proved in is not signed by a process that just began', async () => {
  await using app = await startAttestedApp();
  const superuser = new pg.Client(app.connection);
  await superuser.connect();
  const tamper: Tamper = (statement, values = []) => superuser.query(statement, values);
  try {
    await app.landed(await app.stage());
    await app.attestAll();
    const cutBack = await truncator(tamper);
    await app.landed(await app.stage());
    await app.attestAll();
    await cutBack();
    const before = await checkpoints(tamper);
    const { transparencyLog } = app.another();
    await assert.rejects(transparencyLog.append(bodyOf(1)), { name: 'LogForked', message: /is recorded; the newest/ });
    assert.deepEqual(await checkpoints(tamper), before);

    await tamper('truncate tlog.cosignatures, tlog.checkpoints, tlog.tiles, tlog.entries');
    await assert.rejects(transparencyLog.append(bodyOf(1)), /is recorded, and no checkpoint is left/);
  } finally {
    await superuser.end();
  }
});

test('another history that is longer than the one in which statements were proved is not signed either', async () => {
  await using app = await startAttestedApp();
  const superuser = new pg.Client(app.connection);
  await superuser.connect();
  try {
    await app.landed(await app.stage());
    await app.attestAll();
    // The statement names the tree of a history that is stored nowhere.
    await superuser.query(`update orchestrator.attestations set root_hash = sha256('x') where log_index is not null`);
    await assert.rejects(app.another().transparencyLog.append(bodyOf(1)), /not the one that a statement was proved in/);
    assert.ok(await app.module.transparencyLog.append(bodyOf(1)));
  } finally {
    await superuser.end();
  }
});

test('a log that was cut back below its seals is not signed by a process that just began', async () => {
  await using fixture = await testLog();
  const { tamper, another } = fixture;
  await appendRange(fixture, 0, 10);
  const cutBack = await truncator(tamper);
  await appendRange(fixture, 10, 20);
  await sealAt(tamper, 19);
  assert.ok(await another().log.append(bodyOf(20)));
  await cutBack();
  await assert.rejects(another().log.append(bodyOf(50)), LogForked);
});

test('what is recorded of another log holds back nothing', async () => {
  await using fixture = await testLog();
  await sealAt(fixture.tamper, 900, 'former.example/log');
  assert.equal((await fixture.log.append(bodyOf(0))).index, 0);
});
