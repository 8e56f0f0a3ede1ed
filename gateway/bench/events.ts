// Time from the end of a write to the moment the change feed sends it, at twenty writes a second, while now and then a
// transaction stays open for 200 ms: an event written after its begin may be sent only after its end. Then the same
// without slow writes, while a transaction of another database of the server is open for a minute.
import { setTimeout as pause } from 'node:timers/promises';
import { randomIds } from '@landfall/kernel/core/ids';
import { sql } from '@landfall/kernel/db/sql';
import { event } from '@landfall/kernel/events/write';
import pg from 'pg';
import { createChangeFeed } from '../changes/change-feed.ts';
import { benchHost } from './bench-host.ts';
import { createReport } from './figure.ts';
import { createNotes, writer } from './notes.ts';
import { quantile } from './statistics.ts';

const WRITES = 600;
const EVERY_MS = 50;
const SLOW_EVERY = 40;
const SLOW_SECONDS = 0.2;
const FOREIGN_SECONDS = 60;

await using host = await benchHost();
const { database } = host.deps;
await using feed = createChangeFeed(host.deps);
const notes = createNotes(host.deps);

const writtenAt = new Map<string, number>();
const receivedAt = new Map<string, number>();
using _subscription = await feed.subscribe({
  tenant: writer.tenant,
  onChange: ({ id }) => void receivedAt.set(id, performance.now()),
  onLost: () => {
    throw new Error('the feed lost its subscriber');
  },
});

const writeSlowly = (id: string): Promise<void> =>
  database.write(writer.tenant, async (tx) => {
    await event(tx, writer, 'note.slow', { entity: 'Note', id, version: 1 });
    await tx.run(sql`/* bench.events.sleep */ select pg_sleep(${SLOW_SECONDS}::float8)`);
  });

const note = async (id: string, write: Promise<unknown>): Promise<void> => {
  await write;
  writtenAt.set(id, performance.now());
};

/**
 * Writes events at the bench's pace and waits for their notices.
 * @returns latency of each in milliseconds
 */
const measure = async (count: number, slowEvery: number): Promise<number[]> => {
  writtenAt.clear();
  receivedAt.clear();
  const writes: Promise<void>[] = [];
  const startedMs = performance.now();
  for (let index = 0; index < count; index++) {
    await pause(Math.max(0, startedMs + index * EVERY_MS - performance.now()));
    const id = randomIds.uuid();
    writes.push(note(id, index % slowEvery === 0 ? writeSlowly(id) : notes.add(writer, { id, body: 'news' })));
  }
  await Promise.all(writes);
  for (let waited = 0; receivedAt.size < count; waited += EVERY_MS) {
    if (waited > 10_000) throw new Error(`${count - receivedAt.size} of ${count} events were never told`);
    await pause(EVERY_MS);
  }
  return [...writtenAt].map(([id, at]) => Math.max(0, (receivedAt.get(id) ?? Number.POSITIVE_INFINITY) - at));
};

/** Measures while a transaction in another database of the same server holds a transaction id. */
const measureWithForeignTransaction = async (): Promise<number[]> => {
  await using stack = new AsyncDisposableStack();
  const owner = new pg.Client(host.migrating);
  await owner.connect();
  stack.defer(() => owner.end());
  await owner.query('create database bench_foreign');
  stack.defer(async () => void (await owner.query('drop database bench_foreign with (force)')));
  const other = new pg.Client({ ...host.migrating, database: 'bench_foreign' });
  await other.connect();
  stack.defer(() => other.end());
  await other.query('begin');
  await other.query('select pg_current_xact_id()');
  const lags = await measure((FOREIGN_SECONDS * 1_000) / EVERY_MS, Number.POSITIVE_INFINITY);
  await other.query('rollback');
  return lags;
};

const { tell } = createReport('events');
const lags = await measure(WRITES, SLOW_EVERY);
tell('write to change feed, p99', quantile(lags, 0.99), 'ms', { atMost: 500 });
tell('write to change feed, p50', quantile(lags, 0.5), 'ms');
tell('write to change feed, longest', Math.max(...lags), 'ms');
const neighbour = await measureWithForeignTransaction();
tell('write to change feed beside a foreign transaction, p99', quantile(neighbour, 0.99), 'ms', { atMost: 500 });
tell('write to change feed beside a foreign transaction, p50', quantile(neighbour, 0.5), 'ms');
