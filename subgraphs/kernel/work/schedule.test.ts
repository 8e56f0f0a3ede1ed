import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instant } from '../db/columns.ts';
import { createDatabase } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { table } from '../db/table.ts';
import { silentLog } from '../system/log.ts';
import { testDeps } from '../testing/app.ts';
import { until } from '../testing/until.ts';
import { createSchedule, type Duty, runIfDue } from './schedule.ts';

const minuteMs = 60_000;

/** Two processes over one database, and a duty of each that notes its runs. */
const twoProcesses = async (pattern = '30 * * * *') => {
  const base = await testDeps();
  const other = createDatabase({ connection: base.connection, max: 4 });
  const runs: string[] = [];
  const process = (name: string, database = base.deps.database, action = async () => {}) => {
    const deps = { database, log: silentLog };
    const run = async (): Promise<void> => {
      runs.push(name);
      await action();
    };
    const duty: Duty = { name: 'test.duty', pattern, run };
    return { deps, duty, tick: () => runIfDue(deps, duty) };
  };
  return {
    base,
    runs,
    process,
    one: process('one'),
    two: process('two', other),
    async [Symbol.asyncDispose]() {
      await other.close();
      await base[Symbol.asyncDispose]();
    },
  };
};

test('of two processes that look at once, one runs, and neither again before the next time', async () => {
  await using setup = await twoProcesses();
  const { base, one, two, runs } = setup;
  const ticks = await Promise.all(Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? one : two).tick()));
  assert.deepEqual(ticks.filter(Boolean), [true]);
  assert.equal(runs.length, 1);
  await base.clock.advance(30 * minuteMs - 1);
  assert.deepEqual([await one.tick(), await two.tick()], [false, false], 'one millisecond before half past');
  await base.clock.advance(1);
  assert.deepEqual([await two.tick(), await one.tick()], [true, false]);
  assert.equal(runs.at(-1), 'two');
});

test('times that passed while nobody looked are one run, not many', async () => {
  await using setup = await twoProcesses();
  const { base, one, two } = setup;
  await one.tick();
  await base.clock.advance(5 * 60 * minuteMs);
  assert.deepEqual([await one.tick(), await two.tick()], [true, false]);
});

test('while a run is under way nobody else runs, however often the duty is due', async () => {
  await using setup = await twoProcesses('* * * * *');
  const { base, two, runs } = setup;
  const { promise: writer, resolve: release } = Promise.withResolvers<void>();
  const slow = setup.process('slow', base.deps.database, () => writer);
  const running = slow.tick();
  await until(() => runs.length !== 0);
  await base.clock.advance(9 * minuteMs);
  assert.equal(await two.tick(), false);
  release();
  assert.equal(await running, true);
  await base.clock.advance(minuteMs);
  assert.equal(await two.tick(), true);
});

test('a run that fails, or whose process dies, is due again when its lease runs out', async () => {
  await using setup = await twoProcesses();
  const { base, two } = setup;
  const failing = setup.process('failing', base.deps.database, () => Promise.reject(new Error('no disk')));
  await assert.rejects(failing.tick(), /no disk/);
  assert.equal(await two.tick(), false, 'its lease stands');
  await base.clock.advance(10 * minuteMs);
  assert.equal(await two.tick(), true);
});

test('a run that outlived its lease does not end the lease of whoever took over', async () => {
  await using setup = await twoProcesses();
  const { base, two, runs } = setup;
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const slow = setup.process('slow', base.deps.database, () => first.promise).tick();
  await until(() => runs.length !== 0);
  await base.clock.advance(10 * minuteMs);
  const lease = setup.process('taken', base.deps.database, () => second.promise).tick();
  await until(() => runs.length !== 1);
  first.resolve();
  await slow;
  await base.clock.advance(minuteMs);
  assert.equal(await two.tick(), false, 'the second run still holds it');
  second.resolve();
  await lease;
});

const row = table('kernel.schedules', { lastRunAt: instant.nullable() });

test('a worker looks when it starts, survives a duty that fails, and has ended when it is disposed of', async () => {
  await using setup = await twoProcesses();
  const { base, one, runs } = setup;
  const failing = setup.process('failing', base.deps.database, () => Promise.reject(new Error('no disk')));
  const duties = [{ ...failing.duty, name: 'test.failing' }, one.duty];
  {
    await using _worker = createSchedule(one.deps, 'test', duties).start();
  }
  assert.deepEqual(runs, ['failing', 'one']);
  const { lastRunAt } = await base.deps.database.system.read((query) =>
    query.get(row, sql`select last_run_at from kernel.schedules where name = 'test.duty'`),
  );
  assert.deepEqual(lastRunAt, base.clock.now());
});
