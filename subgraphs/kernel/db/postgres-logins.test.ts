import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import { clusterHome, migrationDirs } from '../testing/cluster.ts';
import { loginsOf, type Postgres, startPostgres } from './embedded-postgres.ts';
import { migrate } from './migrate.ts';
import { as, formerAccount, postgresAccount } from './postgres-account.ts';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const onlyRoot = { skip: isRoot ? false : 'only root lends PostgreSQL another user' };
const settings = { fsync: 'off' };

let home: string;
let dataDir: string;
let postgres: Postgres;
before(async () => {
  home = await mkdtemp(join(await clusterHome(), 'landfall-logins-'));
  await chmod(home, 0o755);
  dataDir = join(home, 'postgres');
  postgres = await startPostgres({ dataDir, settings });
  await migrate(postgres.connection, await migrationDirs());
});
after(async () => {
  await postgres.stop();
  await rm(home, { recursive: true, force: true, maxRetries: 10 });
});

const connected = async (connection: pg.ClientConfig) => {
  const client = new pg.Client(connection);
  client.on('error', () => undefined);
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
};

/** Asks the server on a socket to let it in as its superuser, and prints what it answers: R lets on, E refuses. */
const KNOCK = `
const socket = require('node:net').connect(process.argv[1]);
const text = Buffer.from('user\\0postgres\\0database\\0postgres\\0\\0');
const head = Buffer.alloc(8);
head.writeInt32BE(8 + text.length, 0);
head.writeInt32BE(196608, 4);
socket.write(Buffer.concat([head, text]));
socket.once('data', (answer) => { console.log(answer.toString('latin1').replaceAll('\\0', ' ')); socket.destroy(); });`;

const knock = async (account: Awaited<ReturnType<typeof postgresAccount>>): Promise<string> => {
  const socket = join(postgres.connection.host, '.s.PGSQL.5432');
  return (await run(process.execPath, ['-e', KNOCK, socket], { ...as(account), timeout: 20_000 })).stdout;
};

test('the account that PostgreSQL runs as is its own, and is not let in as the superuser', onlyRoot, async () => {
  const account = await postgresAccount();
  assert.equal((await stat(join(postgres.place, 'data'))).uid, account?.uid);
  assert.notEqual(account?.uid, (await formerAccount())?.uid);
  assert.match(await knock(account), /^E.*Peer authentication failed for user "postgres"/);
  assert.match(await knock(undefined), /^R/);
});

const insertEvent = (tenant: string) => `
  select set_config('landfall.tenant', '${tenant}', false);
  insert into kernel.events (tenant, type, entity, entity_id, version, actor, correlation_id, data)
  values ('${tenant}', 'note.write', 'Note', '1', 1, 'ann', 'c', '{}')`;

for (const [role, others] of [
  ['app', ['landfall_system', 'landfall_migrator', 'postgres']],
  ['system', ['landfall_app', 'landfall_migrator', 'postgres']],
] as const)
  test(`statements of the ${role} role cannot become another role’s`, async () => {
    const login = loginsOf(postgres.connection)[role];
    await using connection = await connected({ ...login, options: `-c role=${login.user}` });
    const { client } = connection;
    for (const statement of ['reset role', 'set role none', 'reset all', 'set session authorization default']) {
      await client.query(statement);
      const { rows } = await client.query('select current_user as is, session_user as was');
      assert.deepEqual(rows, [{ is: login.user, was: login.user }], statement);
    }
    for (const other of others) {
      await assert.rejects(client.query(`set role ${other}`), { code: '42501' }, other);
      await assert.rejects(client.query(`set session authorization ${other}`), { code: '42501' }, other);
    }
  });

test('row-level security holds the app role’s login after reset role', async () => {
  await using owner = await connected(postgres.connection);
  for (const tenant of ['acme', 'globex']) await owner.client.query(insertEvent(tenant));
  const login = loginsOf(postgres.connection).app;
  await using connection = await connected({ ...login, options: `-c role=${login.user}` });
  await connection.client.query("select set_config('landfall.tenant', 'acme', false)");
  await connection.client.query('reset role');
  const { rows } = await connection.client.query('select distinct tenant from kernel.events');
  assert.deepEqual(rows, [{ tenant: 'acme' }]);
});

test('a cluster of an earlier version is taken over: its account, its access file and its roles', async () => {
  await postgres.stop();
  const data = join(postgres.place, 'data');
  const access = join(data, 'pg_hba.conf');
  await writeFile(access, 'local all all trust\n');
  const former = isRoot ? await formerAccount() : undefined;
  if (former) {
    await run('chown', ['-R', `${former.uid}:${former.gid}`, postgres.place]);
    await chown(postgres.place, former.uid, former.gid);
  }
  postgres = await startPostgres({ dataDir, settings });
  {
    await using connection = await connected(postgres.connection);
    await connection.client.query('alter role landfall_app nologin');
  }
  await postgres.stop();
  postgres = await startPostgres({ dataDir, settings });
  assert.match(await readFile(access, 'utf8'), /^local all all peer map=landfall$/m);
  assert.equal((await stat(access)).uid, (await postgresAccount())?.uid ?? process.getuid?.());
  await using connection = await connected(loginsOf(postgres.connection).app);
  const { rows } = await connection.client.query('select count(*)::int as events from kernel.events');
  assert.deepEqual(rows, [{ events: 0 }]);
});
