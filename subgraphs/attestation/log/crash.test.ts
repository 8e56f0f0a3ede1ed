import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runToFailpoint } from '@landfall/kernel/testing/crash';
import { appendRange, bodyOf, testLog } from './test-log.fixture.ts';

const program = new URL('./crash.fixture.ts', import.meta.url);

/** Failpoints of an append, with the number of its 20 entries that exist afterwards. */
const failpoints = {
  'tlog.append.held': 0,
  'tlog.append.signed': 0,
  'tlog.append.written': 0,
  'tlog.append.committed': 20,
} as const;

for (const [failpoint, survived] of Object.entries(failpoints))
  test(`killed at ${failpoint}: one entry a body, and a checkpoint that fits its tiles`, async () => {
    await using fixture = await testLog();
    const { log, tamper, connection, rootKey } = fixture;
    await appendRange(fixture, 0, 250);
    const crash = (from: number, to: number) =>
      runToFailpoint({
        program,
        failpoint,
        arguments: [JSON.stringify({ connection, rootKey: rootKey.toString('hex'), from, to })],
      });
    assert.equal((await crash(250, 270)).output, '', 'nobody was answered');
    assert.equal((await log.newest())?.size, 250 + survived);

    // The next process appends the same bodies again, as the outbox does, here and in a process with a cached state.
    const repeated = await Promise.all([appendRange(fixture.another(), 250, 270), appendRange(fixture, 250, 270)]);
    for (const entries of repeated) assert.deepEqual(new Set(entries.map(({ index }) => index)).size, 20);
    assert.deepEqual(
      repeated[0].map(({ index }) => index),
      repeated[1].map(({ index }) => index),
    );
    assert.equal((await log.newest())?.size, 270);
    const { rows } = await tamper('select count(*)::int as entries, max(idx)::int as last from tlog.entries');
    assert.deepEqual(rows, [{ entries: 270, last: 269 }]);
    for (const [at, { index }] of repeated[1].entries())
      assert.ok((await log.find(index))?.body.equals(bodyOf(250 + at)));
    for (let size = 1; size <= 270; size += 67) assert.ok(await log.consistency(size));
  });

test('a connection that dies while it commits leaves the log as it was or as it was to be', async () => {
  await using fixture = await testLog();
  const { log, tamper } = fixture;
  await appendRange(fixture, 0, 5);
  await tamper(`create function tlog.die() returns trigger language plpgsql as $$
    begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`);
  await tamper(`create constraint trigger die after insert on tlog.entries deferrable initially deferred
    for each row execute function tlog.die()`);
  await assert.rejects(log.append(bodyOf(5)));
  await tamper('drop trigger die on tlog.entries');
  assert.equal((await log.append(bodyOf(5))).index, 5);
  assert.equal((await log.append(bodyOf(6))).index, 6);
});
