import { createHash } from 'node:crypto';
import { chmod, glob, mkdir, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import subgraphs from '@landfall/schema/subgraphs.json' with { type: 'json' };
import pg from 'pg';
import { type Postgres, startPostgres } from '../db/embedded-postgres.ts';
import { migrate } from '../db/migrate.ts';

/** The database that holds every migration and no row; test databases are its clones. */
export const TEMPLATE = 'landfall_template';
/** Clones are named so that a cluster kept from an earlier run can be swept of those a killed run left behind. */
export const CLONE_PREFIX = 'landfall_test_';

/** A test's rows need not survive a power cut; suites about durability start their own server. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  max_prepared_transactions: '20',
};
const SLOTS = 8;
/** Linux's memory file system: a clone of the template takes 20 ms there, and 260 to 620 ms of system time on a disk. */
const MEMORY = '/dev/shm';
/** Bytes that a whole run's cluster may need; with less room it goes to disk. */
const MIN_FREE_MEMORY = 4 * 2 ** 30;
const MODULES = join(import.meta.dirname, '../..');

/** Every `migrations/` folder: the kernel's, then the modules' in composition order. */
export const migrationDirs = async (): Promise<string[]> => {
  const found = await Array.fromAsync(glob('*/migrations', { cwd: MODULES }));
  const rank = (path: string): number => ['kernel', ...subgraphs].indexOf(dirname(path));
  return found.toSorted((a, b) => rank(a) - rank(b)).map((path) => join(MODULES, path));
};

const CLOCK = join(import.meta.dirname, 'clock.sql');

const fingerprint = async (dirs: readonly string[]): Promise<string> => {
  const hash = createHash('sha256').update(await readFile(join(MODULES, 'kernel/db/migrate.ts')));
  hash.update(await readFile(CLOCK));
  for (const dir of dirs) {
    for (const name of (await Array.fromAsync(glob('*.sql', { cwd: dir }))).toSorted()) {
      hash.update(`${basename(dirname(dir))}/${name}\0`).update(await readFile(join(dir, name)));
    }
  }
  return hash.digest('hex');
};

/** Directory for test clusters: memory where there is room, else the temporary directory. */
export const clusterHome = async (): Promise<string> => {
  const available = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return available >= MIN_FREE_MEMORY ? MEMORY : tmpdir();
};

const withClient = async <T>(connection: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client(connection);
  client.on('error', () => undefined); // the failing query reports the same error
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** Runs statements on a cluster's maintenance database, from which databases are created and dropped. */
export const administer = (connection: pg.ClientConfig, ...statements: readonly string[]): Promise<void> =>
  withClient({ ...connection, database: 'postgres' }, async (client) => {
    for (const statement of statements) await client.query(statement);
  });

const staleFiles = (connection: pg.ClientConfig): Promise<string[]> =>
  withClient(connection, async (client) => {
    const found = await client.query<{ name: string }>(
      `select datname as name from pg_database where starts_with(datname, '${CLONE_PREFIX}')`,
    );
    return found.rows.map(({ name }) => name);
  });

const isCurrent = (connection: pg.ClientConfig, mark: string): Promise<boolean> =>
  withClient(connection, async (client) => {
    const found = await client.query(
      `select from pg_database where datname = '${TEMPLATE}' and shobj_description(oid, 'pg_database') = '${mark}'`,
    );
    return found.rowCount === 1;
  });

/** Builds the template, unless the cluster already has it from the same migrations. */
const prepareTemplate = async (connection: pg.ClientConfig): Promise<void> => {
  const dirs = await migrationDirs();
  const mark = await fingerprint(dirs);
  if (await isCurrent(connection, mark)) return;
  await administer(connection, `drop database if exists ${TEMPLATE} with (force)`, `create database ${TEMPLATE}`);
  await migrate({ ...connection, database: TEMPLATE }, dirs);
  const clock = await readFile(CLOCK, 'utf8');
  await withClient({ ...connection, database: TEMPLATE }, (client) => client.query(clock));
  // A new connection writes the file of cached catalogue rows, which every clone then has.
  await withClient({ ...connection, database: TEMPLATE }, (client) => client.query('select'));
  // A database with an open connection cannot be cloned.
  await administer(
    connection,
    `alter database ${TEMPLATE} allow_connections false`,
    `comment on database ${TEMPLATE} is '${mark}'`,
  );
};

/** Starts a cluster in `dataDir` with the migrated template in it. */
export const startTestCluster = async (dataDir: string): Promise<Postgres> => {
  const postgres = await startPostgres({ dataDir, settings: SETTINGS });
  try {
    const clones = await staleFiles(postgres.connection);
    await administer(postgres.connection, ...clones.map((name) => `drop database ${name} with (force)`));
    await prepareTemplate(postgres.connection);
    return postgres;
  } catch (error) {
    await postgres.stop();
    throw error;
  }
};

const isBusy = (error: unknown): boolean => error instanceof Error && error.message.includes('is in use by process');

/**
 * Starts the cluster of a test file that runs alone. It is reused by the next run, one for each slot, since several
 * files may run alone at once; the server itself ends with this process.
 */
export const startSingleCluster = async (): Promise<Postgres> => {
  const home = join(await clusterHome(), `landfall-test-${process.getuid?.() ?? ''}`);
  await mkdir(home, { recursive: true });
  await chmod(home, 0o755); // As root, PostgreSQL's own user may enter the directory.
  for (let slot = 0; slot < SLOTS; slot += 1) {
    const dataDir = join(home, String(slot));
    try {
      return await startTestCluster(dataDir);
    } catch (error) {
      if (isBusy(error)) continue;
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10 }); // torn by a power cut: fsync is off
      throw error;
    }
  }
  throw new Error(`All ${SLOTS} test clusters in ${home} are in use`);
};
