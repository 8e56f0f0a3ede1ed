import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findHorizonLag, listHolders } from '@landfall/kernel/events/horizon';
import { testDeps } from '@landfall/kernel/testing/app';
import pg from 'pg';
import { createHorizonWatch } from './horizon-watch.ts';

const INSERT = `insert into kernel.events (tenant, type, entity, entity_id, version, actor, correlation_id, data)
  values ('acme', 'note.write', 'Note', 'waiting', 1, 'ana', 'c-1', '{}')`;

test('a transaction that stays open is measured and named, and what waits behind it has an age', async () => {
  await using app = await testDeps();
  const { database, log } = app.deps;
  await using stack = new AsyncDisposableStack();
  const session = async (config: pg.ClientConfig = {}) => {
    const client = new pg.Client({ ...app.connection, ...config });
    await client.connect();
    stack.defer(() => client.end());
    return client;
  };
  const holder = await session({ application_name: 'nightly report' });
  await holder.query('begin');
  await holder.query('select pg_current_xact_id()');
  await using watch = createHorizonWatch({ database, log, everyMs: 10 });
  const measured = () => new Promise<void>((resolve) => void watch.follow(() => resolve()));
  await measured();
  assert.equal(watch.lag().backlog, 0, 'nothing waits yet');
  await (await session()).query(INSERT);
  const [first] = await database.system.read(listHolders);
  assert.deepEqual([first?.application, first?.state], ['nightly report', 'idle in transaction']);
  const early = await database.system.read(findHorizonLag);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const delayed = await database.system.read(findHorizonLag);
  assert.ok(delayed.held >= early.held + 0.1, `${delayed.held} s after ${early.held} s`);
  await holder.query('rollback');
  await measured();
  await measured();
  assert.deepEqual(watch.lag(), { backlog: 0, held: 0 });
  assert.deepEqual(await database.system.read(listHolders), []);
});
