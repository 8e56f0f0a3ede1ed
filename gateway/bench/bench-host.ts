import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@landfall/kernel/db/migrate';
import { silentLog } from '@landfall/kernel/system/log';
import { loadSettings } from '@landfall/kernel/system/settings';
import { migrationDirs } from '@landfall/kernel/testing/cluster';
import pg from 'pg';
import { createDependencies } from '../process/dependencies.ts';
import { gatewaySettings } from '../settings/settings.ts';

/** Creates a directory for the bench. If the bench runs as root, PostgreSQL's user may pass through it. */
export const benchDirectory = async () => {
  const path = await mkdtemp(join(tmpdir(), 'landfall-bench-'));
  await chmod(path, 0o755);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
};

const NOTES = `
create schema bench;
grant usage on schema bench to landfall_app;
create table bench.notes (tenant text not null, id uuid not null, body text not null, primary key (tenant, id));
alter table bench.notes enable row level security;
create policy tenant on bench.notes to landfall_app using (tenant = kernel.tenant());
grant select, insert on bench.notes to landfall_app;`;

/**
 * Starts a host with the product's settings: durable PostgreSQL, both roles, hints. It adds the table `bench.notes`,
 * created like the product's tables.
 */
export const benchHost = async () => {
  await using parts = new AsyncDisposableStack();
  const directory = parts.use(await benchDirectory());
  const settings = loadSettings(gatewaySettings, {
    env: { LANDFALL_DATA_DIR: directory.path, LANDFALL_PRIVATE_REGISTRIES: 'true' },
  });
  const host = parts.use(await createDependencies(settings, silentLog));
  await migrate(host.migrating, await migrationDirs());
  await host.startEgress();
  const client = new pg.Client(host.migrating);
  await client.connect();
  await client.query(NOTES).finally(() => client.end());
  const resources = parts.move();
  return { ...host, settings, [Symbol.asyncDispose]: () => resources.disposeAsync() };
};

export type BenchHost = Awaited<ReturnType<typeof benchHost>>;
