import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type pg from 'pg';
import { systemCaller } from '../core/caller.ts';
import { toTenantId } from '../core/ids.ts';
import { createDatabase } from '../db/database.ts';
import { startPostgres } from '../db/embedded-postgres.ts';
import { testDatabase } from '../testing/postgres.ts';
import { createHints, type Hints } from './hint.ts';
import { event } from './write.ts';

const started = (t: TestContext, connection: pg.ClientConfig): Hints => {
  const hints = createHints(connection);
  t.after(() => hints.close());
  return hints;
};

/** Counts wakes, and waits for the next one. */
const listening = (hints: Hints) => {
  let notifications = 0;
  let { promise, resolve } = Promise.withResolvers<void>();
  const listener = hints.listen(() => {
    notifications += 1;
    resolve();
    ({ promise, resolve } = Promise.withResolvers<void>());
  });
  return { next: () => promise, wakes: () => notifications, [Symbol.dispose]: () => listener[Symbol.dispose]() };
};

/** Creates a listener that has received the hint about its own connection. */
const connected = async (hints: Hints) => {
  const listener = listening(hints);
  await listener.next();
  return listener;
};

test('a hint wakes every client of the database, the teller too', async (t) => {
  await using cloned = await testDatabase();
  const [publisher, other] = [started(t, cloned.connection), started(t, cloned.connection)];
  const [own, others] = await Promise.all([connected(publisher), connected(other)]);
  const notified = Promise.all([own.next(), others.next()]);
  publisher.publish([]);
  await notified;
});

test('another process is woken', async (t) => {
  await using cloned = await testDatabase();
  const program = `
    const { createHints } = await import(${JSON.stringify(new URL('./hint.ts', import.meta.url).href)});
    const hints = createHints(${JSON.stringify(cloned.connection)});
    hints.listen(() => process.stdout.write('woken\\n'));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const notified = once(child.stdout, 'data');
  started(t, cloned.connection).publish([]);
  assert.equal(String(await notified), 'woken\n');
});

test('a burst is one hint, and whoever disposed of its listener hears none', async (t) => {
  await using cloned = await testDatabase();
  const hints = started(t, cloned.connection);
  const listener = await connected(hints);
  const removed = listening(hints);
  removed[Symbol.dispose]();
  const notified = listener.next();
  for (let i = 0; i < 1_000; i++) hints.publish([]);
  await notified;
  const afterwards = listener.next();
  hints.publish([]);
  await afterwards;
  assert.deepEqual([listener.wakes(), removed.wakes()], [3, 0], 'connected, the burst, the one after');
});

test('a commit that wrote events tells, one that wrote none does not', async (t) => {
  await using cloned = await testDatabase();
  const acme = toTenantId('acme');
  const events: string[] = [];
  const database = createDatabase({
    connection: cloned.connection,
    max: 1,
    onEvents: (entities) => void events.push(...entities),
  });
  t.after(() => database.close());
  const caller = systemCaller(acme, 'test', 'c-1');
  await database.write(acme, async () => undefined);
  await database
    .write(acme, async (tx) => {
      await event(tx, caller, 'note.write', { entity: 'Note', id: 'a', version: 1 });
      throw new Error('changed my mind');
    })
    .catch(() => undefined);
  assert.deepEqual(events, []);
  await database.write(acme, (tx) => event(tx, caller, 'note.write', { entity: 'Note', id: 'a', version: 1 }));
  assert.deepEqual(events, ['Note']);
});

test('after a restart of the database listeners are woken for what they missed, and hints arrive again', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'landfall-hint-'));
  await chmod(home, 0o755);
  t.after(() => rm(home, { recursive: true, force: true, maxRetries: 10 }));
  const options = { dataDir: join(home, 'data'), settings: { fsync: 'off' } };
  const first = await startPostgres(options);
  const [publisher, other] = [started(t, first.connection), started(t, first.connection)];
  const listeners = await Promise.all([connected(publisher), connected(other)]);

  const reconnected = Promise.all(listeners.map((listener) => listener.next()));
  await first.stop();
  publisher.publish([]);
  const second = await startPostgres(options);
  t.after(() => second.stop());
  await reconnected;

  const notified = Promise.all(listeners.map((listener) => listener.next()));
  publisher.publish([]);
  await notified;
});

test('hints can be closed while the database is away, and nothing is left running', async () => {
  const nowhere = { host: '/nonexistent', user: 'postgres', database: 'x' };
  const hints = createHints(nowhere);
  const listener = listening(hints);
  hints.publish([]);
  await hints.close();
  assert.equal(listener.wakes(), 0);
});

test('a listener of some kinds of entities is woken by their events and by hints that name none', async (t) => {
  await using cloned = await testDatabase();
  const hints = started(t, cloned.connection);
  const everything = await connected(hints);
  const wakes: string[] = [];
  hints.of('Scan', 'Note').listen(() => void wakes.push('scan or note'));
  hints.of('Release').listen(() => void wakes.push('release'));
  const publish = async (...entities: readonly string[]): Promise<readonly string[]> => {
    const notified = everything.next();
    hints.publish(entities);
    await notified;
    return wakes.splice(0);
  };
  assert.deepEqual(await publish('Note', 'Deployment'), ['scan or note']);
  assert.deepEqual(await publish('Deployment'), []);
  assert.deepEqual(await publish(), ['scan or note', 'release']);
  const many = Array.from({ length: 2_000 }, (_, at) => `Entity${at}`);
  assert.deepEqual(await publish(...many), ['scan or note', 'release'], 'a payload has a size');
});
