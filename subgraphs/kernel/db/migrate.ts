import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';

interface Migration {
  /** `kernel/0001_kernel.sql`. */
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
}

/** Any number, the same in every process: who holds it migrates. */
const LOCK = 7_211_950_113;

/** A migration may take its time; only the way to the server has a deadline. */
const CONNECT_MS = 10_000;

const ROLES = `
do $$
begin
  perform pg_advisory_xact_lock(${LOCK});
  if not exists (select from pg_roles where rolname = 'landfall_migrator') then create role landfall_migrator nologin; end if;
  if not exists (select from pg_roles where rolname = 'landfall_app') then create role landfall_app nologin; end if;
  if not exists (select from pg_roles where rolname = 'landfall_system') then create role landfall_system nologin; end if;
  execute format('grant create on database %I to landfall_migrator', current_database());
  execute format('grant landfall_migrator, landfall_app, landfall_system to %I', current_user);
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

/**
 * Brings the database up to `folders`, in their order, forward only. Safe to run from several processes at once.
 * Refuses when a migration that was applied has changed since.
 * @param connection a login that may create roles, or is a member of the three `landfall_*` roles
 */
export const migrate = async (connection: pg.ClientConfig, folders: readonly string[]): Promise<void> => {
  const client = new pg.Client({ connectionTimeoutMillis: CONNECT_MS, ...connection });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await client.query(ROLES);
    await client.query('set role landfall_migrator');
    await client.query(LEDGER);
    const { rows } = await client.query('select name, checksum from landfall_migrations.applied');
    await client.query('reset role');
    const applied = new Map<string, string>(rows.map((row) => [row.name, row.checksum]));
    for (const migration of (await Promise.all(folders.map(readFolder))).flat()) {
      const known = applied.get(migration.name);
      if (known === undefined) await apply(client, migration);
      else if (known !== migration.checksum)
        throw new Error(`migration ${migration.name} changed after it was applied`);
    }
  } finally {
    await client.end();
  }
};
