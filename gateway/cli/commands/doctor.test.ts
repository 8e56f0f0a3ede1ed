import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { testDatabase } from '@landfall/kernel/testing/postgres';
import pg from 'pg';
import { CHECKS } from '../../doctor/checks.ts';
import { freePorts } from '../../testing/processes.ts';
import { landfall } from './cli-process.fixture.ts';

let root: string;
let env: Readonly<Record<string, string>>;
let database: Awaited<ReturnType<typeof testDatabase>>;

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'landfall-doctor-'));
  database = await testDatabase();
  const [web, auth, agent, admin] = (await freePorts(4)).map(String);
  assert.ok(web && auth && agent && admin);
  env = {
    DATABASE_URL: database.url,
    LANDFALL_SECRET_KEY: randomBytes(32).toString('base64'),
    LANDFALL_DATA_DIR: root,
    LANDFALL_PORT: web,
    LANDFALL_AUTH_PORT: auth,
    LANDFALL_AGENT_PORT: agent,
    LANDFALL_ADMIN_PORT: admin,
  };
});
after(async () => {
  await database.drop();
  await rm(root, { recursive: true, force: true });
});

interface CheckLine {
  readonly id: string;
  readonly status: string;
  readonly says: string;
}

const doctor = async (args: readonly string[] = [], overrides: Readonly<Record<string, string>> = {}) => {
  const { code, out, err } = await landfall(['doctor', '--json', ...args], { env: { ...env, ...overrides } });
  assert.equal(err, '');
  const { status, checks }: { status: string; checks: CheckLine[] } = JSON.parse(out);
  return { code, status, checks, of: (id: string) => checks.find((check) => check.id === id) };
};

const sql = async (text: string): Promise<void> => {
  const client = new pg.Client(database.connection);
  await client.connect();
  await client.query(text).finally(() => client.end());
};

test('an installation that is as it should be has nothing wrong, and every check looked', async () => {
  const { code, checks, of } = await doctor();
  assert.equal(code, 0, JSON.stringify(checks, null, 2));
  assert.deepEqual(
    checks.map(({ id }) => id),
    CHECKS.map(({ id }) => id),
  );
  for (const id of ['node-version', 'data-directory', 'secret-key', 'ports', 'database', 'clock'])
    assert.equal(of(id)?.status, 'pass', JSON.stringify(of(id)));
  for (const id of ['database-extensions', 'migrations', 'search-index', 'housekeeping'])
    assert.equal(of(id)?.status, 'pass', JSON.stringify(of(id)));
  assert.match(of('migrations')?.says ?? '', /^\d+ applied$/);
});

test('a login that row-level security does not hold is a warning, and a lesser one is none', async () => {
  const only = ['--only', 'database-roles'];
  const superuser = (await doctor(only)).of('database-roles');
  assert.equal(superuser?.status, 'warn');
  assert.match(superuser?.says ?? '', /^the login postgres is past row-level security/);
  const login = `lesser_${database.name}`;
  await sql(`create role ${login} login; grant landfall_app, landfall_system to ${login}`);
  const url = database.url.replace('postgresql://postgres@', `postgresql://${login}@`);
  const lesser = (await doctor(only, { DATABASE_URL: url })).of('database-roles');
  await sql(`drop role ${login}`);
  assert.deepEqual([lesser?.status, lesser?.says], ['pass', 'landfall_migrator, landfall_app, landfall_system']);
});

test('as text it says what each means and what to do where something is wrong, and nothing of that where all is well', async () => {
  const output = await landfall(['doctor', '--only', 'authority,platform-domain'], {
    env: { ...env, LANDFALL_AUTHORITY_ENABLED: 'false' },
  });
  assert.equal(output.code, 0);
  assert.match(output.out, /^ok {4}platform-domain {2}landfall\.example, on loopback$/m);
  assert.match(output.out, /^warn {2}authority {8}the authority is off, on loopback$/m);
  assert.match(output.out, /What to do: Take the setting away/);
  assert.match(output.out, /1 well, 1 to know of, 0 wrong, 0 not to be seen\./);
});

test('a data directory and a root key that others can touch are wrong', async () => {
  const open = await mkdtemp(join(root, 'open-'));
  await chmod(open, 0o777);
  await writeFile(join(open, 'secret.key'), randomBytes(32).toString('base64'));
  await chmod(join(open, 'secret.key'), 0o644);
  const input: Record<string, string> = { ...env, LANDFALL_DATA_DIR: open };
  delete input.LANDFALL_SECRET_KEY;
  const { code, out } = await landfall(['doctor', '--json', '--only', 'data-directory,secret-key'], { env: input });
  assert.equal(code, 1);
  const { checks }: { checks: CheckLine[] } = JSON.parse(out);
  assert.deepEqual(
    checks.map(({ status }) => status),
    ['fail', 'fail'],
  );
  assert.match(checks[1]?.says ?? '', /readable by others \(mode 0644\)/);
});

test('a port that another program holds is wrong', async () => {
  const server = createServer().listen(Number(env.LANDFALL_AGENT_PORT), '127.0.0.1');
  try {
    const { code, of } = await doctor(['--only', 'ports']);
    assert.equal(code, 1);
    assert.match(of('ports')?.says ?? '', /LANDFALL_AGENT_PORT/);
  } finally {
    server.close();
  }
});

test('a database that cannot be reached is one thing that is wrong; what needs it cannot be seen', async () => {
  const { code, checks, of } = await doctor([], { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' });
  assert.equal(code, 1);
  assert.equal(of('database')?.status, 'fail');
  assert.deepEqual(
    checks.filter(({ status }) => status === 'fail').map(({ id }) => id),
    ['database'],
  );
  assert.equal(of('search-index')?.status, 'unknown');
});

test('what is late or unknown in the database is pointed out', async () => {
  await sql(`insert into kernel.schedules (name, lease_until, last_run_at)
    values ('test.duty', kernel.now(), kernel.now() - interval '3 days')`);
  await sql(`insert into landfall_migrations.applied (name, checksum) values ('search/9999_of_tomorrow.sql', 'x')`);
  await sql(`insert into kernel.events (tenant, type, entity, entity_id, version, actor, correlation_id, data, at)
    values ('acme', 'note.write', 'Note', 'n', 1, 'amir', '', '{}', kernel.now() - interval '5 minutes')`);
  const { code, of } = await doctor(['--only', 'housekeeping,migrations,audit-seals,search-index']);
  assert.equal(code, 1);
  assert.deepEqual([of('housekeeping')?.status, of('housekeeping')?.says], ['warn', 'test.duty 72 h ago']);
  assert.equal(of('migrations')?.status, 'fail');
  assert.match(of('migrations')?.says ?? '', /9999_of_tomorrow/);
  assert.match(of('audit-seals')?.says ?? '', /an event has waited for 300 s/);
  assert.match(of('search-index')?.says ?? '', /1 events wait, for 300 s/);
});

test('a transaction that stays open is named with its session, and how long it holds events back', async () => {
  const holder = new pg.Client({ ...database.connection, application_name: 'nightly report' });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select pg_current_xact_id()');
    await new Promise((resolve) => setTimeout(resolve, 5_500));
    const { of } = await doctor(['--only', 'event-horizon']);
    assert.equal(of('event-horizon')?.status, 'warn', JSON.stringify(of('event-horizon')));
    const named = /^process \d+ \(postgres, nightly report, idle in transaction\) is open since \d+ s$/;
    assert.match(of('event-horizon')?.says ?? '', named);
  } finally {
    await holder.end();
  }
  const { of } = await doctor(['--only', 'event-horizon']);
  assert.deepEqual([of('event-horizon')?.status, of('event-horizon')?.says], ['pass', 'none is open']);
});

test('a source that does not answer is pointed out, one whose route no module here has is not', async () => {
  const directory = (name: string, cause: string) =>
    sql(`insert into search.adapters (tenant, name, source, cause, attempted_target, attempted_at)
      values ('acme', '${name}', 'Snapshot', '${cause}', '/', kernel.now())`);
  await directory('findings', 'http_404');
  await directory('vex', 'timeout');
  const absent = await doctor(['--only', 'search-adapters']);
  assert.equal(absent.of('search-adapters')?.status, 'pass');
  await directory('policy', 'timeout');
  const { of } = await doctor(['--only', 'search-adapters']);
  assert.deepEqual(
    [of('search-adapters')?.status, of('search-adapters')?.says],
    ['warn', 'policy serves what it kept (timeout)'],
  );
});

test('a wrong check, a wrong flag and settings that cannot be read are told apart from a finding', async () => {
  const named = await landfall(['doctor', '--only', 'weather'], { env });
  assert.equal(named.code, 2);
  assert.match(named.err, /There is no check 'weather'/);
  const setting = await landfall(['doctor'], { env: { ...env, LANDFALL_PORT: 'four' } });
  assert.equal(setting.code, 2);
  assert.match(setting.err, /LANDFALL_PORT/);
  const listed = await landfall(['doctor', '--list'], { env });
  assert.equal(listed.out.trimEnd().split('\n').length, CHECKS.length);
});
