import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { type Postgres, startPostgres } from './embedded-postgres.ts';

const launcher = new URL('./embedded-postgres.ts', import.meta.url);

/** Creates a directory whose parents PostgreSQL's user may enter, whichever user runs the tests. */
const temporary = async (t: TestContext): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'landfall-pg-'));
  await chmod(directory, 0o755);
  t.after(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));
  return directory;
};

const started = async (t: TestContext, dataDir: string, settings = {}): Promise<Postgres> => {
  const postgres = await startPostgres({ dataDir, settings });
  t.after(() => postgres.stop());
  return postgres;
};

const query = async (connection: pg.ClientConfig, sql: string): Promise<unknown[]> => {
  const client = new pg.Client(connection);
  client.on('error', () => undefined); // a server that stops reports the same here
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
};

/** Another Node process that owns a server in `dataDir`. */
const owner = async (t: TestContext, dataDir: string) => {
  const code = `import(${JSON.stringify(launcher.href)})
    .then(({ startPostgres }) => startPostgres({ dataDir: ${JSON.stringify(dataDir)} }))
    .then(({ connection }) => { process.stdout.write(JSON.stringify(connection)); setInterval(() => {}, 60_000); })`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const [text] = await once(child.stdout, 'data');
  const connection: pg.ClientConfig = JSON.parse(String(text));
  return { child, connection };
};

test('committed rows survive kill -9 of the process that owns the server', async (t) => {
  const dataDir = join(await temporary(t), 'postgres');
  const { child, connection } = await owner(t, dataDir);
  await query(connection, 'create table kept as select generate_series(1, 1000) as n');
  child.kill('SIGKILL');

  const repeated = await started(t, dataDir);

  assert.deepEqual(await query(repeated.connection, 'select count(*)::int as rows from kept'), [{ rows: 1000 }]);
  assert.deepEqual(await query(repeated.connection, 'show fsync'), [{ fsync: 'on' }]);
});

test('a directory in use is refused with the name of its holder, and left alone', async (t) => {
  const dataDir = join(await temporary(t), 'postgres');
  const { child, connection } = await owner(t, dataDir);

  await assert.rejects(startPostgres({ dataDir }), new RegExp(`${dataDir} is in use by process ${child.pid}`));
  assert.deepEqual(await query(connection, 'select 1 as one'), [{ one: 1 }]);
});

test('a pid file whose number another program has by now does not stop a start', async (t) => {
  const dataDir = join(await temporary(t), 'postgres');
  const first = await startPostgres({ dataDir });
  await first.stop();
  await writeFile(join(first.place, 'data/postmaster.pid'), `${process.pid}\n${first.place}/data\n`);

  const repeated = await started(t, dataDir);
  assert.deepEqual(await query(repeated.connection, 'select 1 as one'), [{ one: 1 }]);
});

test('only the owner can reach the socket, and there is no TCP', async (t) => {
  const { connection } = await started(t, join(await temporary(t), 'postgres'));
  assert.equal((await lstat(connection.host)).mode & 0o777, 0o700);
  assert.deepEqual(await query(connection, 'show listen_addresses'), [{ listen_addresses: '' }]);
});

test('a path too long for a socket moves the socket, not the data', async (t) => {
  const dataDir = join(await temporary(t), 'deep'.repeat(30), 'postgres');
  const { connection, place: location } = await started(t, dataDir);
  t.after(() => rm(connection.host, { recursive: true, force: true, maxRetries: 10 }));

  assert.equal(location, dataDir);
  assert.ok(!connection.host.startsWith(dataDir));
  assert.deepEqual(await query(connection, 'select 1 as one'), [{ one: 1 }]);
});

test('a server that cannot start says why', async (t) => {
  const dataDir = join(await temporary(t), 'postgres');
  await assert.rejects(startPostgres({ dataDir, settings: { no_such_setting: '1' } }), /no_such_setting/);
  const { connection } = await started(t, dataDir);
  assert.deepEqual(await query(connection, 'select 1 as one'), [{ one: 1 }]);
});

test('a server that dies is reported, and the same process may start it again', async (t) => {
  const dataDir = join(await temporary(t), 'postgres');
  const first = await startPostgres({ dataDir });
  const [pid] = (await readFile(join(first.place, 'data/postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGQUIT');

  assert.equal((await first.exited).expected, false);
  const repeated = await started(t, dataDir);
  assert.deepEqual(await query(repeated.connection, 'select 1 as one'), [{ one: 1 }]);
});

test('below a directory closed to its user the data moves, and every start finds it', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root lends PostgreSQL another user');
  const closed = join(await temporary(t), 'closed');
  await mkdir(closed, { mode: 0o700 });
  const first = await startPostgres({ dataDir: join(closed, 'postgres') });
  t.after(() => rm(first.place, { recursive: true, force: true, maxRetries: 10 }));
  await query(first.connection, 'create table kept as select 1 as n');
  await first.stop();

  const repeated = await started(t, join(closed, 'postgres'));
  assert.ok(!repeated.place.startsWith(closed));
  assert.deepEqual(await query(repeated.connection, 'select n from kept'), [{ n: 1 }]);
});
