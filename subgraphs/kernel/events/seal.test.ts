import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { toTenantId } from '../core/ids.ts';
import { createDatabase, type Database } from '../db/database.ts';
import { silentLog } from '../system/log.ts';
import { createTelemetry } from '../system/telemetry.ts';
import { testDeps } from '../testing/app.ts';
import { caller } from '../testing/callers.ts';
import { readableEvents } from '../testing/readable-events.ts';
import { until } from '../testing/until.ts';
import { findHead, newestSeal } from './seal.store.ts';
import { makeSeal, type SealedEvent, sealEntry } from './seal.ts';
import { createSealer, logSeals, sealBatch } from './sealer.ts';
import { event } from './write.ts';

const acme = toTenantId('acme');
const actor = { ...caller({ subject: 'amir' }), tenant: acme };

const publish = (database: Database, id: string, beforeCommit?: () => Promise<void>): Promise<void> =>
  database.write(acme, async (tx) => {
    await event(tx, actor, 'note.write', { entity: 'Note', id, version: 1 });
    await beforeCommit?.();
  });

/** Seals so many events and returns how many each batch held. */
const sealAll = async (database: Database, events: number, batch: number): Promise<number[]> => {
  const counts: number[] = [];
  await readableEvents(database);
  for (let sealed = 0; sealed < events; ) {
    // A transaction of another database can hide events from one reading, so that a batch is empty.
    const count = await until(async () => (await sealBatch({ database }, batch)) || undefined);
    sealed += count;
    counts.push(count);
  }
  return counts;
};

const newest = (database: Database) => database.system.read(newestSeal);

/** A log of one process: it takes each body once. */
const memoryLog = () => {
  const bodies: string[] = [];
  return {
    bodies,
    origin: 'landfall.example/log',
    append: async (body: Uint8Array) => {
      const text = Buffer.from(body).toString();
      const known = bodies.indexOf(text);
      return { index: known >= 0 ? known : bodies.push(text) - 1 };
    },
  };
};

const sha256 = (...parts: (string | Buffer)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

const example = (id: string): SealedEvent => ({
  tenant: 'acme',
  xid: '812',
  id,
  type: 'note.write',
  entity: 'Note',
  entityId: 'a',
  version: 1,
  actor: 'amir',
  correlationId: 'c-1',
  data: '{"body": "é"}',
  at: '2026-01-15T09:00:00.000001Z',
});

test('a seal is what its definition says, byte for byte', () => {
  const text = (id: string): string =>
    `audit-event/v1\n{"actor":"amir","at":"2026-01-15T09:00:00.000001Z","correlationId":"c-1","data":"{\\"body\\": \\"é\\"}",` +
    `"entity":"Note","entityId":"a","id":"${id}","tenant":"acme","type":"note.write","version":1,"xid":"812"}`;
  const leaves = ['7', '8'].map((id) => sha256(Buffer.of(0), text(id)));
  const root = sha256(Buffer.of(1), ...leaves);
  const before = { sequence: 4, hash: sha256('before') };
  const seal = makeSeal(before, [example('7'), example('8')], '2026-01-15T09:00:01Z');
  assert.ok(seal);
  assert.deepEqual([seal.root, seal.leaves], [root, Buffer.concat(leaves)]);
  assert.equal(seal.cursors.toString('hex'), '000000000000032c0000000000000007000000000000032c0000000000000008');
  const message =
    `audit-seal/v1\n{"count":2,"first":"812-7","last":"812-8","previous":"sha256:${before.hash.toString('hex')}",` +
    `"root":"sha256:${root.toString('hex')}","sealedAt":"2026-01-15T09:00:01Z","sequence":5}`;
  assert.deepEqual(seal.hash, sha256(message));
  assert.equal(
    sealEntry(seal).toString(),
    `{"apiVersion":"0.0.1","kind":"auditseal","spec":{"hash":"sha256:${seal.hash.toString('hex')}","sequence":5}}`,
  );
  assert.equal(makeSeal(undefined, [example('7')], '')?.sequence, 1);
  assert.equal(makeSeal(undefined, [], ''), undefined);
});

test('a backlog is sealed in batches, each following the one before, and then there is nothing to seal', async () => {
  await using base = await testDeps();
  const { database } = base.deps;
  assert.equal(await newest(database), undefined);
  for (const id of ['a', 'b', 'c', 'd', 'e']) await publish(database, id);
  assert.equal(
    (await sealAll(database, 5, 2)).reduce((sum, count) => sum + count, 0),
    5,
  );
  assert.equal(await sealBatch({ database }), 0);
  const seal = await newest(database);
  assert.ok(seal && seal.sequence >= 3);
  assert.deepEqual([seal.logIndex, seal.sealedAt], [null, new Date('2026-01-15T09:00:00Z')]);
  const head = await database.system.read(findHead);
  assert.equal(seal.hash, `sha256:${head?.hash.toString('hex')}`);
});

test('the events of an open transaction, and those after it, wait for its end', async () => {
  await using base = await testDeps();
  const { database } = base.deps;
  await publish(database, 'first');
  await sealAll(database, 1, 10);
  const isWritten = Promise.withResolvers<void>();
  const committed = Promise.withResolvers<void>();
  const slow = publish(database, 'slow', () => {
    isWritten.resolve();
    return committed.promise;
  });
  await isWritten.promise;
  await publish(database, 'fast');
  assert.equal(await sealBatch({ database }), 0);
  committed.resolve();
  await slow;
  await sealAll(database, 2, 10);
});

test('processes that seal at once make one chain, and seal each event once', async () => {
  await using base = await testDeps();
  const others = Array.from({ length: 3 }, () => createDatabase({ connection: base.connection, max: 4 }));
  await using stack = new AsyncDisposableStack();
  for (const other of others) stack.defer(() => other.close());
  const all = [base.deps.database, ...others];
  const events = 60;
  for (let i = 0; i < events; i += 1) await publish(base.deps.database, `n${i}`);
  let sealed = 0;
  await Promise.all(
    all.map(async (database) => {
      while (sealed < events) {
        const count = await sealBatch({ database }, 3);
        sealed += count;
        if (count === 0) await sleep(5);
      }
    }),
  );
  const client = new pg.Client(base.connection);
  await client.connect();
  stack.defer(() => client.end());
  const { rows } = await client.query(`select count(*)::integer as seals, sum(count)::integer as events,
    count(distinct previous)::integer as followed, max(sequence)::integer as last from kernel.event_seals`);
  const [{ seals, last, followed, events: counted }] = rows;
  assert.deepEqual([counted, last, followed], [events, seals, seals - 1]);
});

test('the worker seals and anchors what is written, and goes on sealing while the log is away', async () => {
  await using base = await testDeps();
  const { database } = base.deps;
  const { origin, append, bodies } = memoryLog();
  let isUnreachable = true;
  const unreachable = async (body: Uint8Array) => {
    if (isUnreachable) throw new Error('the log is away');
    return append(body);
  };
  const worker = createSealer({ database, log: silentLog }, { origin, append: unreachable });
  await using _running = worker.start();
  await publish(database, 'a');
  await until(async () => (await newest(database))?.sequence === 1);
  await publish(database, 'b');
  await until(async () => (await newest(database))?.sequence === 2);
  assert.equal((await newest(database))?.logIndex, null);
  isUnreachable = false;
  await until(async () => (await newest(database))?.logIndex === 1);
  assert.equal(bodies.length, 2);
});

test('how long the oldest event waits is measured, and goes on growing while nobody can look', async () => {
  await using base = await testDeps();
  const { database } = base.deps;
  let isUnreachable = false;
  const flaky: Database = {
    ...database,
    system: {
      read: (use) => (isUnreachable ? Promise.reject(new Error('the database is away')) : database.system.read(use)),
      write: () => Promise.reject(new Error('no room for a seal')),
    },
  };
  const telemetry = createTelemetry(silentLog);
  await using _telemetry = { [Symbol.asyncDispose]: telemetry.close };
  const age = async (): Promise<number> =>
    Number(/^events_unsealed_age(?:_\w+)?(?:{.*})? ([\d.e+-]+)$/m.exec(await telemetry.prometheus())?.[1]);
  const worker = createSealer({ database: flaky, log: silentLog, meter: telemetry.meter('kernel') }, memoryLog());
  await using _running = worker.start();
  assert.equal(await age(), 0);
  await publish(database, 'a');
  await base.clock.advance(90_000);
  await until(async () => (await age()) >= 90);
  isUnreachable = true;
  const then = await age();
  await until(async () => (await age()) > then);
});

test('what the log took before it failed is noted, in the order of the chain; the rest is handed over again', async () => {
  await using base = await testDeps();
  const { database } = base.deps;
  for (const id of ['a', 'b', 'c', 'd']) await publish(database, id);
  await sealAll(database, 4, 1);
  const log = memoryLog();
  const { bodies } = log;
  const third = async (body: Uint8Array) => {
    if (Buffer.from(body).includes('"sequence":3')) throw new Error('no');
    return log.append(body);
  };
  await assert.rejects(logSeals({ database }, { ...log, append: third }), /^Error: no$/);
  assert.equal(bodies.length, 3);
  assert.equal((await newest(database))?.logIndex, null);
  assert.equal(await logSeals({ database }, log), 2, 'the third, and the fourth once more');
  assert.deepEqual([bodies.length, (await newest(database))?.logIndex], [4, 2]);
  assert.equal(await logSeals({ database }, log), 0);
});

test('nobody changes or deletes a seal, and of the log only what is missing is noted', async () => {
  await using base = await testDeps();
  const { database } = base.deps;
  await publish(database, 'a');
  await sealAll(database, 1, 10);
  const log = memoryLog();
  await logSeals({ database }, log);
  const as = async (role: string, statement: string): Promise<unknown> => {
    const client = new pg.Client({ ...base.connection, options: `-c role=${role}` });
    await client.connect();
    return client.query(statement).finally(() => client.end());
  };
  const refused = [
    'delete from kernel.event_seals',
    'truncate kernel.event_seals',
    ...['sequence = 2', 'count = 2', "hash = ''", 'sealed_at = now()', "leaves = ''"].map(
      (edit) => `update kernel.event_seals set ${edit}`,
    ),
    "update kernel.events set actor = 'mallory'",
    'delete from kernel.events',
  ];
  for (const statement of refused)
    for (const role of ['landfall_system', 'landfall_app'])
      await assert.rejects(as(role, statement), { code: '42501' }, `${role}: ${statement}`);
  await assert.rejects(as('landfall_app', 'select from kernel.event_seals'), { code: '42501' });
});
