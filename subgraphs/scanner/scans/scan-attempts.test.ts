import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { integer } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { arm } from '@landfall/kernel/system/failpoint';
import { people } from '@landfall/kernel/testing/callers';
import { runToFailpoint } from '@landfall/kernel/testing/crash';
import { until } from '@landfall/kernel/testing/until';
import { bodyOf, bomThrough } from '../testing/bom.ts';
import { scannerApp } from '../testing/scanner-app.ts';

const MINUTE_MS = 60_000;
const leases = table('scanner.scans leases', { ms: integer });
const who = people['scan-operator'];

/** The scanner with a queue of scans, and processes that die over the first of them. */
const queueApp = async (env: Readonly<Record<string, string>> = {}) => {
  const app = await scannerApp({ env });
  const { scans, runScans } = app.module;
  const submit = async (name: string) => {
    const { digest: sbomDigest } = await scans.receive(who, bodyOf(bomThrough(name)));
    return (await scans.create(who, { sbomDigest })).scan.id;
  };
  const stateOf = async (id: string) => {
    const { status, attempts, error } = await scans.get(who, { id });
    return { status, attempts, error };
  };
  const { connection, rootKey } = app;
  return {
    ...app,
    runScans,
    submit,
    stateOf,
    statusOf: async (id: string) => (await stateOf(id)).status,
    /** Runs a process that dies while it matches the first scan that is due. */
    die: () =>
      runToFailpoint({
        program: new URL('../testing/scan-queue.fixture.ts', import.meta.url),
        failpoint: 'scanner.scan.begun',
        arguments: [JSON.stringify({ connection, rootKey: rootKey.toString('hex'), work: 'runScans' })],
      }),
    /** Milliseconds until the next attempt of a scan. */
    leaseOf: async (id: string) => {
      const [row] = await app.rows(
        leases,
        sql`/* test */ select 1000 * extract(epoch from attempt_due_at - kernel.now())::integer as ms
          from scanner.scans where id = ${id}`,
      );
      return row?.ms;
    },
    pass: (minutes: number) => app.clock.advance(minutes * MINUTE_MS),
  };
};

test('a bill that kills the process is tried three times, then its scan fails, and the next one is done', async () => {
  await using app = await queueApp();
  const [deadly, harmless] = [await app.submit('wall'), await app.submit('fence')];
  for (const minutes of [5, 10, 1]) {
    await app.die();
    await app.pass(minutes);
  }
  assert.deepEqual(await app.stateOf(deadly), { status: 'running', attempts: 3, error: null });
  await app.runScans();
  const { status, error } = await app.stateOf(deadly);
  assert.equal(status, 'failed');
  assert.match(error ?? '', /None of 3 attempts came to an end.*send the bill again/);
  assert.equal(await app.statusOf(harmless), 'completed');
  assert.deepEqual(
    (await app.events()).map(({ type }) => type).filter((type) => type.startsWith('scan.')),
    ['scan.create', 'scan.create', 'scan.fail', 'scan.complete'],
  );
});

test('the scans behind one whose process died do not wait for its next attempt', async () => {
  await using app = await queueApp();
  const [deadly, harmless] = [await app.submit('wall'), await app.submit('fence')];
  await app.die();
  await app.runScans();
  assert.deepEqual([await app.statusOf(deadly), await app.statusOf(harmless)], ['running', 'completed']);
  assert.equal(await app.runScans(), 0);
  await app.pass(5);
  await app.runScans();
  assert.deepEqual(await app.stateOf(deadly), { status: 'completed', attempts: 2, error: null });
});

test('a scan whose last attempt takes long is not given up while its process works', async (context) => {
  await using app = await queueApp({ SCANQUEUE__MAXATTEMPTS: '1' });
  const scan = await app.submit('wall');
  const { promise: isBegun, resolve: begun } = Promise.withResolvers<void>();
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  using _armed = arm('scanner.scan.begun', async () => {
    begun();
    await isReleased;
  });
  context.mock.timers.enable({ apis: ['setInterval'] });
  const running = app.runScans();
  await isBegun;
  for (const _half of [1, 2, 3]) {
    await app.clock.advance(MINUTE_MS / 2);
    context.mock.timers.tick(15_000);
    await until(async () => (await app.leaseOf(scan)) === MINUTE_MS);
  }
  assert.equal(await app.runScans(), 0);
  release();
  await running;
  assert.deepEqual(await app.stateOf(scan), { status: 'completed', attempts: 1, error: null });
});

test('a scan that failed for its attempts has all of them again when its bill is sent again', async () => {
  await using app = await queueApp({ SCANQUEUE__MAXATTEMPTS: '1' });
  const scan = await app.submit('wall');
  await app.die();
  await app.pass(5);
  await app.runScans();
  assert.equal(await app.statusOf(scan), 'failed');
  assert.equal(await app.submit('wall'), scan);
  assert.deepEqual(await app.stateOf(scan), { status: 'queued', attempts: 0, error: null });
  await app.runScans();
  assert.deepEqual(await app.stateOf(scan), { status: 'completed', attempts: 1, error: null });
});

test('a scan that lost the database is tried again soon, and the scans behind it go on', async () => {
  await using app = await queueApp();
  const [first, second] = [await app.submit('wall'), await app.submit('fence')];
  let calls = 0;
  using _armed = arm('scanner.scan.begun', () => {
    calls += 1;
    if (calls === 1) throw new Fault('SYS_DATABASE_ERROR', 'The connection ended.');
  });
  await app.runScans();
  assert.deepEqual([await app.statusOf(first), await app.statusOf(second)], ['running', 'completed']);
  await app.pass(1);
  await app.runScans();
  assert.deepEqual(await app.stateOf(first), { status: 'completed', attempts: 2, error: null });
});
