import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { Fault } from '../core/fault.ts';
import { toTenantId } from '../core/ids.ts';
import { testDeps } from '../testing/app.ts';
import { startTestCluster, TEMPLATE } from '../testing/cluster.ts';
import { until } from '../testing/until.ts';
import { integer, text } from './columns.ts';
import { createDatabase } from './database.ts';
import { sql } from './sql.ts';
import { table } from './table.ts';

const acme = toTenantId('acme');
const globex = toTenantId('globex');
const setting = table('setting', { tenant: text });
const currentTenant = sql`/* test.tenant */ select kernel.tenant() as tenant`;

test('each statement sees its own tenant, also when callers outnumber connections', async () => {
  await using base = await testDeps();
  const results = await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      const tenant = i % 2 === 0 ? acme : globex;
      const row = await base.deps.database.read(tenant, (query) => query.get(setting, currentTenant));
      return row.tenant === tenant;
    }),
  );
  assert(results.every(Boolean));
});

test('a transaction that rolls back leaves the tenant of its connection as it was', async () => {
  await using base = await testDeps();
  const database = createDatabase({ connection: base.connection, max: 1 });
  await database.read(acme, (query) => query.get(setting, currentTenant));
  await assert.rejects(
    database.write(globex, async () => {
      throw new Error('changed my mind');
    }),
  );
  const row = await database.read(acme, (query) => query.get(setting, currentTenant));
  assert.equal(row.tenant, 'acme');
  await database.close();
});

test('the app role cannot read what belongs to the system role', async () => {
  await using base = await testDeps();
  await assert.rejects(
    base.deps.database.read(acme, (query) => query.run(sql`select from kernel.sessions`)),
    /permission denied/,
  );
});

test('a write that loses a serialization race is run again', async () => {
  await using base = await testDeps();
  const numbers = table('numbers', { n: integer });
  let attempts = 0;
  const row = await base.deps.database.write(acme, async (tx) => {
    attempts += 1;
    if (attempts < 3) await tx.run(sql`do $$ begin raise exception using errcode = '40001'; end $$`);
    return tx.get(numbers, sql`select 7 as n`);
  });
  assert.deepEqual([row.n, attempts], [7, 3]);
});

test('a connection that dies during COMMIT leaves the outcome unknown, and says so', async () => {
  await using base = await testDeps();
  const admin = new pg.Client(base.connection);
  await admin.connect();
  await admin.query('select pg_advisory_lock(7)');
  const writing = base.deps.database.write(acme, async (tx) => {
    await tx.run(sql`create temp table doomed (n integer)`);
    await tx.run(sql`create function pg_temp.wait() returns trigger language plpgsql
      as 'begin perform pg_advisory_lock(7); return null; end'`);
    await tx.run(sql`create constraint trigger wait after insert on doomed initially deferred
      for each row execute function pg_temp.wait()`);
    await tx.run(sql`insert into doomed values (1)`);
  });
  // The listener is added before the kill, since the error may arrive before the kill is confirmed.
  const refused = assert.rejects(writing, (error) => {
    assert(error instanceof Fault);
    assert.equal(error.code, 'SYS_DATABASE_ERROR');
    assert.match(error.message, /unknown.*same idempotency key/);
    return true;
  });
  const kill = `select pg_terminate_backend(pid) from pg_stat_activity where query = 'commit' and wait_event_type = 'Lock'`;
  await until(async () => (await admin.query(kill)).rowCount !== 0);
  await refused;
  await admin.end();
  const row = await base.deps.database.read(acme, (query) => query.get(setting, currentTenant));
  assert.equal(row.tenant, 'acme', 'the dead connection serves nobody');
});

// spec: 7.2/SYS_DATABASE_ERROR
test('a database that is down is SYS_DATABASE_ERROR, and its return needs no restart', async () => {
  const home = await mkdtemp(join(tmpdir(), 'landfall-outage-'));
  await chmod(home, 0o755);
  const dataDir = join(home, 'data');
  const first = await startTestCluster(dataDir);
  const admin = new pg.Client({ ...first.connection, database: 'postgres' });
  await admin.connect();
  await admin.query(`create database outage template ${TEMPLATE}`);
  await admin.end();
  const database = createDatabase({ connection: { ...first.connection, database: 'outage' }, max: 4 });
  const ask = () => database.read(acme, (query) => query.get(setting, currentTenant));
  await ask();
  await first.stop();
  for (let i = 0; i < 3; i++)
    await assert.rejects(ask(), (error) => error instanceof Fault && error.code === 'SYS_DATABASE_ERROR');
  const second = await startTestCluster(dataDir);
  // The cluster sweeps only clones of its own naming, so this database is still there.
  assert.equal((await ask()).tenant, 'acme');
  await database.close();
  await second.stop();
  await rm(home, { recursive: true, force: true, maxRetries: 10 });
});

test('a database that takes a connection and never answers is SYS_DATABASE_ERROR', async () => {
  const silentServer = createServer().listen(0, '127.0.0.1');
  await once(silentServer, 'listening');
  const address = silentServer.address();
  assert(typeof address === 'object' && address);
  const database = createDatabase({ connection: { host: '127.0.0.1', port: address.port, user: 'any' } });
  const asking = database.read(acme, (query) => query.get(setting, currentTenant));
  await assert.rejects(asking, (error) => error instanceof Fault && error.code === 'SYS_DATABASE_ERROR');
  await database.close();
  silentServer.close();
});
