import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import type { Who } from '../core/caller.ts';
import { hasTenant } from '../core/caller.ts';
import { count } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { table } from '../db/table.ts';
import { testDeps } from '../testing/app.ts';
import { people } from '../testing/callers.ts';
import { until } from '../testing/until.ts';
import { type Cursor, cursorOf, formatCursor, list, listOf, newest, parseCursor } from './read.ts';
import { event, notice } from './write.ts';

const callerWithTenant = (caller: (typeof people)['operator']): Who =>
  hasTenant(caller) ? caller : assert.fail('no tenant');
const caller = callerWithTenant(people.operator);

/** Publishes an event in a transaction that ends after `last`. */
const publish = (database: Database, id: string, last: () => Promise<void> = async () => {}): Promise<void> =>
  database.write(caller.tenant, async (tx) => {
    await event(tx, caller, 'note.write', { entity: 'Note', id, version: 1 });
    await last();
  });

const readAll = async (database: Database, after: Cursor) => database.system.read((query) => list(query, after, 100));

const counts = table('kernel.events rows', { rows: count });

/** Number of all events and notices after a cursor, below the horizon or not. */
const countRows = async (database: Database, { xid, id }: Cursor): Promise<number> => {
  const isAfter = sql`(xid, id) > (${String(xid)}::xid8, ${String(id)}::bigint)`;
  const { rows } = await database.system.read((query) =>
    query.get(
      counts,
      sql`select (select count(*) from kernel.events where ${isAfter})
        + (select count(*) from kernel.notices where ${isAfter}) as rows`,
    ),
  );
  return rows;
};

/** Reads everything: a transaction that has just ended in another database can hide rows from one reading. */
const readSettled = async (database: Database, after: Cursor) => {
  const rows = await countRows(database, after);
  return until(async () => {
    const read = await readAll(database, after);
    return read.length === rows && read;
  });
};

test('a reader never passes over the event of a slow transaction', async () => {
  await using base = await testDeps();
  const { database } = base.deps;
  const start = await database.system.read(newest);
  const { promise: ending, resolve: release } = Promise.withResolvers<void>();
  const { promise: written, resolve: write } = Promise.withResolvers<void>();
  const slow = publish(database, 'slow', () => {
    write();
    return ending;
  });
  await written;
  await publish(database, 'fast');
  const early = await readAll(database, start);
  assert.deepEqual(early, [], 'nothing above an open transaction is read');
  release();
  await slow;
  const delayed = await readSettled(database, start);
  assert.deepEqual(delayed.map((row) => row.entityId).toSorted(), ['fast', 'slow']);
});

test('a cursor written and read again continues where it stood', async () => {
  await using base = await testDeps();
  const { database } = base.deps;
  const start = await database.system.read(newest);
  for (const id of ['a', 'b', 'c']) await publish(database, id);
  const [first] = await readSettled(database, start);
  assert(first);
  const resumed = parseCursor(formatCursor(cursorOf(first)));
  assert(resumed);
  const rest = await readSettled(database, resumed);
  assert.deepEqual(
    rest.map((row) => row.entityId),
    ['b', 'c'],
  );
});

test('events are read in the order of their transactions, whose numbers grow by a digit now and then', async () => {
  await using base = await testDeps();
  const client = new pg.Client(base.connection);
  await client.connect();
  await client
    .query(
      `insert into kernel.events (tenant, xid, type, entity, entity_id, version, actor, correlation_id, data)
       select $1, number::text::xid8, 'note.write', 'Note', 'a', number, 'somebody', 'c-1', '{}'
       from unnest(array[9, 10, 99, 100]) number`,
      [caller.tenant],
    )
    .finally(() => client.end());
  const { database } = base.deps;
  const all = await readSettled(database, { xid: 0n, id: 0n });
  const ofNote = await database.read(caller.tenant, (query) => listOf(query, caller.tenant, 'Note', ['a']));
  for (const events of [all, ofNote])
    assert.deepEqual(
      events.map(({ version }) => version),
      [9, 10, 99, 100],
    );
});

test('a notice moves forward: who follows is told each time, who comes back is told once, and nothing piles up', async () => {
  await using base = await testDeps();
  const { database } = base.deps;
  const start = await database.system.read(newest);
  const grow = (version: number) =>
    database.write(caller.tenant, (tx) => notice(tx, caller, 'note.grown', { entity: 'Note', id: 'log', version }));
  await grow(1);
  const [first] = await readSettled(database, start);
  assert.ok(first);
  await publish(database, 'a');
  await grow(1);
  const after = await readSettled(database, cursorOf(first));
  assert.deepEqual(
    after.map(({ type, entityId }) => [type, entityId]),
    [
      ['note.write', 'a'],
      ['note.grown', 'log'],
    ],
  );
  assert.equal((await readSettled(database, start)).length, 2);
  const audit = await database.read(caller.tenant, (query) => listOf(query, caller.tenant, 'Note', ['log']));
  assert.deepEqual(audit, [], 'it is nobody’s deed');
});

test('a notice of a slow transaction is not passed over, whatever was told meanwhile', async () => {
  await using base = await testDeps();
  const { database } = base.deps;
  const start = await database.system.read(newest);
  const resized = { entity: 'Note', id: 'log', version: 1 };
  const { promise: writer, resolve: release } = Promise.withResolvers<void>();
  const { promise: started, resolve: begin } = Promise.withResolvers<void>();
  const slow = database.write(caller.tenant, async (tx) => {
    await event(tx, caller, 'note.write', { entity: 'Note', id: 'slow', version: 1 });
    begin();
    await writer;
    await notice(tx, caller, 'note.grown', resized);
  });
  await started;
  await database.write(caller.tenant, (tx) => notice(tx, caller, 'note.grown', resized));
  assert.deepEqual(await readAll(database, start), []);
  release();
  await slow;
  assert.deepEqual(
    (await readSettled(database, start)).map(({ entityId }) => entityId),
    ['slow', 'log'],
  );
});

test('what is no cursor is nothing', () => {
  for (const text of ['', '1', '1-', '-1', 'a-b', '1-2-3', `${'9'.repeat(30)}-1`])
    assert.equal(parseCursor(text), undefined);
});

test('a cursor holds what the database can, and not one more', async () => {
  const [xid, id] = [2n ** 64n - 1n, 2n ** 63n - 1n];
  const last = parseCursor(`${xid}-${id}`);
  assert.deepEqual(last, { xid, id });
  assert.equal(parseCursor(`${xid + 1n}-0`), undefined);
  assert.equal(parseCursor(`0-${id + 1n}`), undefined);
  await using base = await testDeps();
  assert(last);
  assert.deepEqual(await readAll(base.deps.database, last), []);
});
