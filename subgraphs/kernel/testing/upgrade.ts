import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';
import { migrate } from '../db/migrate.ts';
import { testDatabase } from './postgres.ts';

/** Number of the last migration that a version knew, by module; a module that is not named has all of its own. */
type Version = Readonly<Record<string, number>>;

/** Empty database that a test fills at an earlier version and then migrates to the present one. */
export interface Upgrade extends AsyncDisposable {
  readonly connection: pg.ClientConfig;
  /** Statements as the superuser, with the rows of the last one. */
  force(...statements: readonly string[]): Promise<readonly object[]>;
  /** Applies the migrations of these folders up to a version; without one, all of them. */
  migrateTo(version?: Version): Promise<void>;
}

const run = async (location: pg.ClientConfig, statements: readonly string[]): Promise<readonly object[]> => {
  const client = new pg.Client(location);
  await client.connect();
  try {
    let rows: readonly object[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
};

/**
 * Creates the database at the earlier version.
 * @param folders `<module>/migrations` of each module, in the order in which they are applied
 */
export const startUpgrade = async (folders: readonly string[]): Promise<Upgrade> => {
  await using stack = new AsyncDisposableStack();
  const neighbour = stack.use(await testDatabase());
  const name = `${neighbour.name}_upgrade`;
  const connection = { ...neighbour.connection, database: name };
  await run(neighbour.connection, [`create database ${name} template template0`]);
  stack.defer(async () => {
    await run(neighbour.connection, [`drop database ${name} with (force)`]);
  });
  const directory = await mkdtemp(join(tmpdir(), 'landfall-upgrade-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const resources = stack.move();

  /** Copies what a version knew of a module's migrations to where they are applied from. */
  const copyOf = async (folder: string, version: Version): Promise<string> => {
    const module = basename(dirname(folder));
    const last = version[module] ?? Number.POSITIVE_INFINITY;
    const copy = join(directory, module, 'migrations');
    await cp(folder, copy, {
      recursive: true,
      filter: (path) => path === folder || Number.parseInt(basename(path), 10) <= last,
    });
    return copy;
  };

  return {
    connection,
    force: (...statements) => run(connection, statements),
    async migrateTo(version = {}) {
      await migrate(connection, await Promise.all(folders.map((folder) => copyOf(folder, version))));
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
