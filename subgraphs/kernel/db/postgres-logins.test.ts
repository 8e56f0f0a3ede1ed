import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import { clusterHome, migrationDirs } from '../testing/cluster.ts';
import { loginsOf, type Postgres, startPostgres } from './embedded-postgres.ts';
import { migrate } from './migrate.ts';
import { as, postgresAccount } from './postgres-account.ts';
import { privateDirectory } from './postgres-directories.ts';

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
const CONNECT_PROGRAM = `
const socket = require('node:net').connect(process.argv[1]);
const text = Buffer.from('user\\0postgres\\0database\\0postgres\\0\\0');
const head = Buffer.alloc(8);
head.writeInt32BE(8 + text.length, 0);
head.writeInt32BE(196608, 4);
socket.write(Buffer.concat([head, text]));
socket.once('data', (answer) => { console.log(answer.toString('latin1').replaceAll('\\0', ' ')); socket.destroy(); });`;

const tryToConnect = async (account: Awaited<ReturnType<typeof postgresAccount>>): Promise<string> => {
  const socket = join(postgres.connection.host, '.s.PGSQL.5432');
  return (await run(process.execPath, ['-e', CONNECT_PROGRAM, socket], { ...as(account), timeout: 20_000 })).stdout;
};

test('the account that PostgreSQL runs as is its own, and is not let in as the superuser', onlyRoot, async () => {
  const account = await postgresAccount();
  assert.equal((await stat(join(postgres.place, 'data'))).uid, account?.uid);
  assert.equal(account?.name, 'landfall');
  assert.match(await tryToConnect(account), /^E.*Peer authentication failed for user "postgres"/);
  assert.match(await tryToConnect(undefined), /^R/);
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

/** A number that no account has: what an account of another machine, or one that was made again, left behind. */
const FORMER_UID = 54_321;

test('a cluster that another account left is taken over, and nothing in it leads root or the server astray', async () => {
  await using before = await connected(postgres.connection);
  await before.client.query("alter system set hba_file = '/nowhere/pg_hba.conf'");
  await before.client.query('alter role landfall_app nologin');
  await postgres.stop();
  const access = join(postgres.place, 'data/pg_hba.conf');
  const log = join(postgres.place, 'postgres.log');
  const valuableFile = join(home, 'precious');
  await writeFile(access, 'local all all trust\n');
  await writeFile(valuableFile, 'root’s own\n');
  await rm(log);
  await symlink(valuableFile, log);
  if (isRoot) await run('chown', ['-hR', `${FORMER_UID}:${FORMER_UID}`, postgres.place]);

  postgres = await startPostgres({ dataDir, settings });
  assert.equal(await readFile(valuableFile, 'utf8'), 'root’s own\n');
  const user = { uid: process.getuid?.(), gid: process.getgid?.() };
  assert.equal((await stat(valuableFile)).uid, user.uid);
  assert.equal((await stat(postgres.place)).uid, user.uid);
  assert.equal((await stat(access)).uid, (await postgresAccount())?.uid ?? user.uid);
  await using after = await connected(postgres.connection);
  const { rows } = await after.client.query("select setting from pg_settings where name = 'hba_file'");
  assert.deepEqual(rows, [{ setting: access }]);
  assert.match(await readFile(access, 'utf8'), /^local all all peer map=landfall$/m);
  await using app = await connected(loginsOf(postgres.connection).app);
  assert.equal((await app.client.query('select from kernel.events')).rowCount, 0);
});

test('a directory that somebody prepared where everybody may is put aside, not used', onlyRoot, async () => {
  const open = join(home, 'open');
  await mkdir(open);
  await chmod(open, 0o1777);
  const predictable = join(open, 'landfall-guessed');
  await mkdir(predictable);
  await chown(predictable, FORMER_UID, FORMER_UID);
  const account = await postgresAccount();
  await privateDirectory(predictable, account);
  const found = await stat(predictable);
  assert.deepEqual([found.uid, found.mode & 0o777], [account?.uid, 0o700]);
  assert.equal((await readdir(open)).length, 2);
  const linked = join(open, 'linked');
  await symlink(home, linked);
  await privateDirectory(linked, account);
  assert.equal((await stat(home)).uid, process.getuid?.());
});
