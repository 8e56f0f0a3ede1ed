// An external PostgreSQL with two logins: one owns the tables and migrates, the other works with the rows.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { count } from '@landfall/kernel/db/columns';
import { createDatabase } from '@landfall/kernel/db/database';
import { migrate } from '@landfall/kernel/db/migrate';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { migrationDirs } from '@landfall/kernel/testing/cluster';
import pg from 'pg';
import { landfall } from '../cli/commands/cli-process.fixture.ts';
import { checkDatabase, servingLogin } from '../process/database-check.ts';
import { startPostgresService } from '../testing/compose-postgres.ts';
import { freePorts } from '../testing/processes.ts';

/**
 * Password with quotes, a backslash, and characters that SASLprep maps: a no-break space, a soft hyphen, a ligature.
 */
const PASSWORD = "it's \\ a\u00a0har\u00adbour of ﬁsh";
const serviceEnvironment = { POSTGRES_USER: 'root', POSTGRES_DB: 'shop', POSTGRES_INITDB_ARGS: '--encoding=UTF8' };

let home: string;
let port = 0;
let service: Awaited<ReturnType<typeof startPostgresService>>;
before(async () => {
  home = await mkdtemp(join(tmpdir(), 'landfall-database-logins-'));
  await chmod(home, 0o711);
  const secret = join(home, 'password');
  await writeFile(secret, PASSWORD);
  [port = 0] = await freePorts(1);
  const environment = { ...serviceEnvironment, POSTGRES_PASSWORD_FILE: secret };
  service = await startPostgresService({ home: join(home, 'postgres'), port, environment });
});
after(async () => {
  const exited = once(service.child, 'exit');
  service.child.kill('SIGINT');
  await exited;
  await rm(home, { recursive: true, force: true });
});

const url = (user: string, password = PASSWORD): string =>
  `postgresql://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/shop`;

const query = async (address: string, ...statements: readonly string[]): Promise<void> => {
  const client = new pg.Client(address);
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
};

const counts = table('kernel.events number', { number: count });

test('the start makes the login that serves: it works with the rows, and owns nothing', async (t) => {
  await t.waitFor(() => service.createDatabase(), { interval: 100, timeout: 60_000 });
  const owner = `create role owner login createrole password '${PASSWORD.replaceAll("'", "''")}'`;
  await query(
    url('root'),
    owner,
    'alter database shop owner to owner',
    'grant pg_read_all_stats to owner with admin option',
  );
  const serving = servingLogin({ databaseUrl: url('server'), databaseDirectUrl: url('owner') });
  assert.deepEqual(serving, { name: 'server', password: PASSWORD });
  const dirs = await migrationDirs();
  // Every role migrates at its start; the migration is done only once.
  for (let start = 0; start < 2; start++) await migrate({ connectionString: url('owner') }, dirs, serving);
  await checkDatabase('DATABASE_URL', url('server'));
  await assert.rejects(checkDatabase('DATABASE_URL', url('server', 'another')), /refuses the user server/);

  const database = createDatabase({ connection: { connectionString: url('server') }, max: 2 });
  t.after(() => database.close());
  const events = sql`/* test.events */ select count(*) as number from kernel.events`;
  assert.equal((await database.read(toTenantId('acme'), (read) => read.get(counts, events))).number, 0);
  assert.equal((await database.system.read((read) => read.get(counts, events))).number, 0);

  await assert.rejects(query(url('server'), 'select from kernel.events'), { code: '42501' });
  // One login serves both roles, which is the cost that decision 046 names.
  await query(url('server'), 'set role landfall_app', 'set role landfall_system');
  for (const role of ['landfall_migrator', 'owner', 'root'])
    await assert.rejects(query(url('server'), `set role ${role}`), { code: '42501' }, role);
});

test('a login that did everything loses the tables when another one migrates', async () => {
  await query(url('owner'), `create role former login password '${PASSWORD.replaceAll("'", "''")}'`);
  await query(url('owner'), 'grant landfall_migrator, landfall_app, landfall_system to former');
  await query(url('former'), 'set role landfall_migrator');
  const serving = servingLogin({ databaseUrl: url('former'), databaseDirectUrl: url('owner') });
  await migrate({ connectionString: url('owner') }, await migrationDirs(), serving);
  await query(url('former'), 'set role landfall_app');
  await assert.rejects(query(url('former'), 'set role landfall_migrator'), { code: '42501' });
});

test('a role of ours and a login without a name cannot serve', () => {
  const serves = (databaseUrl: string) => servingLogin({ databaseUrl, databaseDirectUrl: url('owner') });
  for (const role of ['landfall_app', 'landfall_system', 'landfall_migrator'])
    assert.throws(() => serves(url(role)), /is a role that Landfall takes/);
  assert.throws(() => serves('postgresql:///shop?host=/tmp'), /names no user/);
  assert.equal(serves('postgresql:///shop?host=/tmp&user=server')?.name, 'server');
  assert.equal(serves(url('owner')), undefined);
});

test('doctor warns of one login for everything, and of none where there are two', async () => {
  const roles = async (env: NodeJS.ProcessEnv): Promise<string> => {
    const secretKey = Buffer.alloc(32, 1).toString('base64');
    const args = ['doctor', '--only', 'database-roles'];
    return (await landfall(args, { env: { ...env, LANDFALL_DATA_DIR: home, LANDFALL_SECRET_KEY: secretKey } })).out;
  };
  assert.match(await roles({ DATABASE_URL: url('server'), DATABASE_DIRECT_URL: url('owner') }), /^ok +database-roles/m);
  assert.match(
    await roles({ DATABASE_URL: url('owner') }),
    /^warn +database-roles.*owner may become the owner of the tables/m,
  );
  await query(url('root'), 'grant landfall_system to landfall_app');
  assert.match(
    await roles({ DATABASE_URL: url('server'), DATABASE_DIRECT_URL: url('owner') }),
    /^FAIL +database-roles.*landfall_app: row-level security does not hold it/m,
  );
  await query(url('root'), 'revoke landfall_system from landfall_app');
  assert.match(await roles({ DATABASE_URL: url('root') }), /^warn +database-roles.*root is past row-level security/m);
});
