import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';
import { isRetryable } from './errors.ts';
import { scramVerifier } from './scram.ts';

interface Migration {
  /** `kernel/0001_kernel.sql`. */
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
}

/** Number of the advisory lock under which a process migrates. */
const LOCK = 7_211_950_113;

/** Connection timeout in milliseconds; migrations themselves have no deadline. */
const CONNECT_MS = 10_000;

const ROLES = `
do $$
begin
  perform pg_advisory_xact_lock(${LOCK});
  if not exists (select from pg_roles where rolname = 'landfall_migrator') then create role landfall_migrator nologin; end if;
  if not exists (select from pg_roles where rolname = 'landfall_app') then create role landfall_app nologin; end if;
  if not exists (select from pg_roles where rolname = 'landfall_system') then create role landfall_system nologin; end if;
  execute format('grant create on database %I to landfall_migrator', current_database());
  begin
    -- Lets kernel.horizon_holders() say since when a transaction is open; without it only its session is named.
    grant pg_read_all_stats to landfall_migrator;
  exception when insufficient_privilege then null;
  end;
end $$`;

const LEDGER = `
create schema if not exists landfall_migrations;
create table if not exists landfall_migrations.applied (
  name text primary key,
  checksum text not null,
  applied_at timestamptz not null default now()
)`;

/** Login of the running product, where it differs from the migrating login. */
export interface ServingLogin {
  readonly name: string;
  readonly password: string | undefined;
}

/** Grants a role to a login with SET only, without INHERIT where the server supports it (version 16). */
const grantRole = async (client: pg.Client, role: string, login: string): Promise<void> => {
  const { rows } = await client.query(
    `with server as (select current_setting('server_version_num')::integer >= 160000 as "hasOptions")
    select "hasOptions", pg_has_role($1, $2, case when "hasOptions" then 'set' else 'member' end) as "mayTake" from server`,
    [login, role],
  );
  const { hasOptions, mayTake } = Object(rows[0]);
  if (mayTake) return;
  const options = hasOptions ? ' with inherit false, set true' : '';
  await client.query(`grant ${role} to ${client.escapeIdentifier(login)}${options}`);
};

const createLogin = async (client: pg.Client, { name, password }: ServingLogin): Promise<void> => {
  const found = await client.query('select from pg_roles where rolname = $1', [name]);
  if (found.rowCount) return;
  const secret = password === undefined ? '' : ` password ${client.escapeLiteral(await scramVerifier(password))}`;
  await client.query(`create role ${client.escapeIdentifier(name)} login noinherit${secret}`);
};

/** Revokes privileges that an earlier version granted to its single login. */
const revokeOwnership = async (client: pg.Client, login: string): Promise<void> => {
  const found = await client.query(
    `select from pg_auth_members where roleid = 'landfall_migrator'::regrole and member = $1::regrole`,
    [client.escapeIdentifier(login)],
  );
  if (!found.rowCount) return;
  try {
    await client.query(`revoke landfall_migrator from ${client.escapeIdentifier(login)}`);
  } catch (error) {
    // Granted by a login whose grants this one cannot revoke; `doctor` reports it.
    if (!(error instanceof pg.DatabaseError && error.code === '42501')) throw error;
  }
};

/** Grants the owner's role to the migrating login alone, since row-level security does not apply to the owner. */
const grantRoles = async (client: pg.Client, serving: ServingLogin | undefined): Promise<void> => {
  const { rows } = await client.query('select current_user as name');
  const own = String(rows[0]?.name);
  await grantRole(client, 'landfall_migrator', own);
  if (serving) await createLogin(client, serving);
  for (const role of ['landfall_app', 'landfall_system']) await grantRole(client, role, serving?.name ?? own);
  if (serving) await revokeOwnership(client, serving.name);
};

const readFolder = async (folder: string): Promise<Migration[]> => {
  const module = basename(dirname(folder));
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).toSorted();
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(folder, file), 'utf8');
      return { name: `${module}/${file}`, text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
};

const apply = async (client: pg.Client, { name, text, checksum }: Migration): Promise<void> => {
  const isAlone = /^-- run:\s+outside a transaction/m.test(text);
  await client.query('set role landfall_migrator');
  if (!isAlone) await client.query('begin');
  try {
    await client.query(text);
    await client.query('insert into landfall_migrations.applied (name, checksum) values ($1, $2)', [name, checksum]);
    if (!isAlone) await client.query('commit');
  } catch (error) {
    if (!isAlone) await client.query('rollback');
    throw new Error(`migration ${name} failed`, { cause: error });
  } finally {
    await client.query('reset role');
  }
};

/** Attempts of a migration whose locks deadlock with the transactions of servers that still run. */
const MAX_ATTEMPTS = 30;

/** Applies a migration, again after a deadlock: PostgreSQL ends the migration, which has waited longest. */
const applyWithTraffic = async (client: pg.Client, migration: Migration): Promise<void> => {
  for (let attempt = 1; ; attempt += 1)
    try {
      await apply(client, migration);
      return;
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !(error instanceof Error) || !isRetryable(error.cause)) throw error;
    }
};

/**
 * Applies the migrations of `folders` in order, forward only. Concurrent processes are serialised. Refuses when an
 * applied migration has changed.
 * @param connection login that may create roles, or is a member of `landfall_migrator` where the roles exist
 * @param serving login of the running product, created if missing
 */
export const migrate = async (
  connection: pg.ClientConfig,
  folders: readonly string[],
  serving?: ServingLogin,
): Promise<void> => {
  const client = new pg.Client({ connectionTimeoutMillis: CONNECT_MS, ...connection });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await client.query(ROLES);
    await grantRoles(client, serving);
    await client.query('set role landfall_migrator');
    await client.query(LEDGER);
    const { rows } = await client.query('select name, checksum from landfall_migrations.applied');
    await client.query('reset role');
    const applied = new Map<string, string>(rows.map((row) => [row.name, row.checksum]));
    for (const migration of (await Promise.all(folders.map(readFolder))).flat()) {
      const known = applied.get(migration.name);
      if (known === undefined) await applyWithTraffic(client, migration);
      else if (known !== migration.checksum)
        throw new Error(`migration ${migration.name} changed after it was applied`);
    }
  } finally {
    await client.end();
  }
};
