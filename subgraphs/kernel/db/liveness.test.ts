import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import pg from 'pg';
import { createBatch } from '../core/batch.ts';
import { Fault } from '../core/fault.ts';
import { toTenantId } from '../core/ids.ts';
import { createHints } from '../events/hint.ts';
import { startFaultProxy } from '../testing/fault-proxy.ts';
import { testDatabase } from '../testing/postgres.ts';
import { integer } from './columns.ts';
import { createDatabase } from './database.ts';
import { createLiveness } from './liveness.ts';
import { ping } from './ping.ts';
import { sql } from './sql.ts';
import { table } from './table.ts';

const acme = toTenantId('acme');
/** The ruled bounds, in milliseconds. */
const ANSWER_MS = 6_000;
const RETURN_MS = 5_000;

const proxied = async () => {
  await using stack = new AsyncDisposableStack();
  const { connection } = stack.use(await testDatabase());
  const proxy = stack.use(await startFaultProxy({ path: `${connection.host}/.s.PGSQL.${connection.port}` }));
  const through = { ...connection, host: proxy.host, port: proxy.port };
  const database = stack.adopt(createDatabase({ connection: through, max: 4 }), (each) => each.close());
  const resources = stack.move();
  return { connection, through, proxy, database, [Symbol.asyncDispose]: () => resources.disposeAsync() };
};

const outcome = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'OK',
    (error: unknown) => (error instanceof Fault ? error.code : String(error)),
  );

const timed = async (work: () => Promise<unknown>) => {
  const began = performance.now();
  return { code: await outcome(work()), ms: performance.now() - began };
};

/** Time until `work` succeeds. */
const timeUntilBack = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  while ((await outcome(work())) !== 'OK') {
    assert.ok(performance.now() - began < 30_000, 'it never came back');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return performance.now() - began;
};

test('a black hole between us and the database fails every caller in time, and is over soon after its end', {
  timeout: 60_000,
}, async () => {
  await using setup = await proxied();
  const { database, proxy, through } = setup;
  const hints = createHints(through);
  const load = createBatch(async (keys: readonly number[]) => {
    await database.system.read(ping);
    return keys;
  });
  const notified = { times: 0 };
  using _listening = hints.listen(() => {
    notified.times += 1;
  });
  const works: (() => Promise<unknown>)[] = [
    () => database.read(acme, ping),
    () => database.system.read(ping),
    () => database.write(acme, ping),
    () => database.write(acme, (tx) => tx.run(sql`select pg_sleep(0.05)`)),
    () => load(1),
  ];
  await Promise.all(works.map((work) => work()));
  proxy.fail({ kind: 'black-hole' });
  const requests: Promise<{ code: string; ms: number }>[] = [];
  const until = performance.now() + 8_000;
  while (performance.now() < until) {
    requests.push(...works.map(timed));
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  const notifiedBefore = notified.times;
  proxy.fail();
  const back = await Promise.all(works.map(timeUntilBack));
  const answers = await Promise.all(requests);
  const codes = new Set(answers.map(({ code }) => code));
  assert.ok(codes.isSubsetOf(new Set(['SYS_DATABASE_ERROR', 'SYS_OVERLOADED'])), [...codes].join());
  assert.ok(codes.has('SYS_DATABASE_ERROR'));
  const worst = Math.max(...answers.map(({ ms }) => ms));
  assert.ok(worst <= ANSWER_MS, `the worst answer took ${worst} ms`);
  assert.ok(Math.max(...back) <= RETURN_MS, `it was back after ${Math.max(...back)} ms`);
  const listensAgain = performance.now();
  while (notified.times === notifiedBefore) {
    assert.ok(performance.now() - listensAgain < RETURN_MS, 'nobody listens');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await hints.close();
});

test('a transaction that a black hole cut off holds its locks no longer than the black hole', {
  timeout: 60_000,
}, async () => {
  await using setup = await proxied();
  const { database, proxy, connection } = setup;
  const direct = createDatabase({ connection, max: 1 });
  const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>();
  const cut = outcome(
    database.write(acme, async (tx) => {
      await tx.run(sql`select pg_advisory_xact_lock(11)`);
      locked();
      await new Promise((resolve) => setTimeout(resolve, 300));
      await tx.run(sql`select 1`);
    }),
  );
  await isLocked;
  proxy.fail({ kind: 'black-hole' });
  assert.equal(await cut, 'SYS_DATABASE_ERROR');
  proxy.fail();
  const { ms, code } = await timed(() => direct.write(acme, (tx) => tx.run(sql`select pg_advisory_xact_lock(11)`)));
  assert.equal(code, 'OK');
  assert.ok(ms <= RETURN_MS, `the lock was held for ${ms} ms`);
  await direct.close();
});

test('a statement that works for longer than the watch is patient is left alone', { timeout: 60_000 }, async () => {
  await using setup = await proxied();
  const numbers = table('numbers', { n: integer });
  const slow = sql`select 1 as n from pg_sleep(5)`;
  const [row] = await Promise.all([
    setup.database.read(acme, (query) => query.get(numbers, slow)),
    setup.database.write(acme, (tx) => tx.run(slow)),
  ]);
  assert.equal(row.n, 1);
});

/** Starts a proxy to the database on which new connections may receive nothing, while open ones continue. */
const limitedServer = async () => {
  await using stack = new AsyncDisposableStack();
  const { connection } = stack.use(await testDatabase());
  const sockets = new Set<Socket>();
  let droppedBytes = 0;
  const server = createServer((near) => {
    sockets.add(near.on('error', () => {}));
    if (droppedBytes > 0) {
      droppedBytes -= 1;
      near.resume();
      return;
    }
    const far = connect(`${connection.host}/.s.PGSQL.${connection.port}`);
    sockets.add(far.on('error', () => {}));
    near.pipe(far).pipe(near);
  });
  stack.defer(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  const through = { ...connection, host: '127.0.0.1', port: address.port };
  const database = stack.adopt(createDatabase({ connection: through, max: 2 }), (each) => each.close());
  // Both connections are open before the server stops accepting new ones.
  const short = () => database.write(acme, (tx) => tx.run(sql`select pg_sleep(0.1)`));
  await Promise.all([short(), short()]);
  const resources = stack.move();
  return {
    /** One statement that works for long, and short ones beside it until it has ended. */
    async busy(seconds: number) {
      const long = timed(() => database.write(acme, (tx) => tx.run(sql`select pg_sleep(${seconds}::float8)`)));
      const codes: string[] = [];
      let isOver = false;
      const ended = long.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        codes.push(await outcome(short()));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return { ...(await ended), codes: [...new Set(codes)] };
    },
    swallow(next: number): void {
      droppedBytes = next;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

test('one connection that comes late cuts off nobody while others are answered', { timeout: 60_000 }, async () => {
  await using setup = await limitedServer();
  setup.swallow(1);
  const { code, codes } = await setup.busy(5);
  assert.deepEqual([code, codes], ['OK', ['OK']]);
});

test('two connections that hear nothing are an outage, told in time, though others are answered', {
  timeout: 60_000,
}, async () => {
  await using setup = await limitedServer();
  setup.swallow(Number.POSITIVE_INFINITY);
  const { code, ms } = await setup.busy(9);
  assert.equal(code, 'SYS_DATABASE_ERROR');
  assert.ok(ms <= ANSWER_MS, `the answer took ${ms} ms`);
});

test('of connections that are given up the sessions are ended, and never one that has only the process id', {
  timeout: 60_000,
}, async () => {
  await using stack = new AsyncDisposableStack();
  const { connection } = stack.use(await testDatabase());
  const session = async () => {
    const client = stack.adopt(new pg.Client({ ...connection, application_name: 'landfall_app' }), (each) =>
      each.end().catch(() => {}),
    );
    client.on('error', () => {});
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return { client, pid: rows[0]?.pid };
  };
  const [orphan, innocent] = [await session(), await session()];
  const { promise: finished, resolve: end } = Promise.withResolvers<void>();
  orphan.client.once('end', end);
  const liveness = createLiveness(connection, { silenceMs: 300 });
  stack.defer(() => liveness.close());
  const link = (pid: number | undefined, silentSince: number) => ({
    pid,
    silentSince,
    bytesRead: 0,
    abandon: () => {},
  });
  // The state after a restart of the host: the statement was sent long before the session that has the process id now
  // began.
  liveness.watch(link(innocent.pid, performance.now() - 60_000));
  liveness.watch(link(orphan.pid, performance.now()));
  await finished;
  assert.equal((await innocent.client.query('select 1')).rowCount, 1);
});
