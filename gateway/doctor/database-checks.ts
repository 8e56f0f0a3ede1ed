import { glob } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type HorizonHolder, listHolders } from '@landfall/kernel/events/horizon';
import { type Check, fail, pass, unknown, warn } from '@landfall/kernel/operator/check';
import { servingLogin } from '../process/database-check.ts';
import type { GatewaySettings } from '../settings/settings.ts';
import * as store from './doctor.store.ts';

const ROOT = join(import.meta.dirname, '../..');
const OLDEST = 15;
/** Extensions that migrations need. */
const EXTENSIONS = ['btree_gin'] as const;
/** Clock difference in milliseconds from which tokens, deadlines and cursors of two machines disagree. */
const CLOCK_WARN_MS = 2_000;
const CLOCK_FAIL_MS = 30_000;
const CONNECTIONS_WARN = 0.8;
/** Age of a transaction in milliseconds from which a warning is due; backups and imports take seconds. */
const HOLD_WARN_MS = 5_000;
const HOLD_FAIL_MS = 60_000;

const database: Check<GatewaySettings> = {
  id: 'database',
  title: 'The database answers, and is a version that is known',
  meaning:
    'Everything that must not be lost is in PostgreSQL: without it the server refuses every call but its health routes.',
  remedy:
    'Start it, or correct `DATABASE_URL`; without that setting Landfall brings its own in the data directory. It must be PostgreSQL 15 or newer.',
  inspect: async ({ database: open }) => {
    const { major, version, used, allowed } = await store.readDatabaseServer(await open());
    if (major < OLDEST) return fail(`PostgreSQL ${version}`);
    const summary = `PostgreSQL ${version}, ${used} of ${allowed} connections in use`;
    return used > CONNECTIONS_WARN * allowed ? warn(summary) : pass(summary);
  },
};

const clock: Check<GatewaySettings> = {
  id: 'clock',
  title: 'This machine and its database agree on the time',
  meaning:
    'Tokens, deadlines, leases and the order of events are read against both clocks. Agents and other services are compared with them in turn.',
  remedy: 'Let both machines follow the same time servers (NTP); never set a clock back while the server runs.',
  inspect: async ({ database: open, now }) => {
    const query = await open();
    const before = now().getTime();
    const { at } = await store.readDatabaseServer(query);
    const middle = (before + now().getTime()) / 2;
    const offMs = Math.round(Math.abs(at.getTime() - middle));
    const summary = `${offMs} ms apart`;
    return offMs > CLOCK_FAIL_MS ? fail(summary) : offMs > CLOCK_WARN_MS ? warn(summary) : pass(summary);
  },
};

const OUR_ROLES = 'landfall_migrator, landfall_app, landfall_system';

const roles: Check<GatewaySettings> = {
  id: 'database-roles',
  title: 'The roles that keep tenants apart are as they should be',
  meaning:
    'The server reads and writes as `landfall_app`, which row-level security holds to one tenant. A role that bypasses it would see all of them.',
  remedy:
    'Name the login that migrates in `DATABASE_DIRECT_URL`, and in `DATABASE_URL` another one, without SUPERUSER and BYPASSRLS: the next start makes it where it is not there, and grants it `landfall_app` and `landfall_system`.',
  inspect: async ({ database: open, settings }) => {
    const serving = servingLogin(settings)?.name ?? null;
    const { missing, unheld, excessive, login, isUnlimited, isOwner } = await store.listDatabaseRoles(
      await open(),
      serving,
    );
    if (excessive.length > 0) return fail(`${excessive.join(', ')}: row-level security does not hold it`);
    if (missing.length > 0) return unknown(`${missing.join(', ')} not there yet: the first start makes them`);
    // The embedded server has a login for each role.
    if (settings.databaseUrl === undefined) return pass(OUR_ROLES);
    if (unheld.length > 0) return fail(`the login ${login} may not take ${unheld.join(', ')}`);
    if (isUnlimited) return warn(`the login ${login} is past row-level security: SUPERUSER or BYPASSRLS`);
    if (isOwner)
      return warn(`the login ${login} may become the owner of the tables, whom row-level security does not hold`);
    return pass(OUR_ROLES);
  },
};

const extensions: Check<GatewaySettings> = {
  id: 'database-extensions',
  title: 'The database has the extensions that are needed',
  meaning: 'Search keeps tenant and domain inside its index with btree_gin; without it its migration stops the start.',
  remedy: 'Install PostgreSQL’s contrib package, or let the hosting service offer the extension, and start again.',
  inspect: async ({ database: open }) => {
    const query = await open();
    for (const name of EXTENSIONS) {
      const { installed, available } = await store.extension(query, name);
      if (!installed && !available) return fail(`${name} is not to be had`);
      if (!installed) return unknown(`${name} not installed yet: the next start does it`);
    }
    return pass(EXTENSIONS.join(', '));
  },
};

const migrations: Check<GatewaySettings> = {
  id: 'migrations',
  title: 'The database’s tables are those of this version',
  meaning:
    'A start brings them forward by itself, and never back: a server that is older than its database may not know what it reads.',
  remedy: 'Start the server of this version once. Where the database is ahead, go back to the newer version.',
  inspect: async ({ migrations: read }) => {
    const applied = new Set(await read());
    if (applied.size === 0) return unknown('nothing yet: the first start does it');
    const files = await Array.fromAsync(glob('subgraphs/*/migrations/*.sql', { cwd: ROOT }));
    const expected = new Set(files.map((file) => `${basename(dirname(dirname(file)))}/${basename(file)}`));
    const ahead = [...applied].filter((name) => !expected.has(name));
    const unapplied = [...expected].filter((name) => !applied.has(name));
    if (ahead.length > 0) return fail(`the database has ${ahead.join(', ')}, which this version does not know`);
    return unapplied.length > 0
      ? warn(`${unapplied.length} to be applied by the next start`)
      : pass(`${applied.size} applied`);
  },
};

const holderName = ({ pid, gid, login, application, state }: HorizonHolder): string => {
  const session = pid === null ? `prepared transaction ${gid ?? ''}` : `process ${pid}`;
  const details = [login, application, state].filter((part) => part !== null && part !== '');
  return details.length > 0 ? `${session} (${details.join(', ')})` : session;
};

const eventHorizon: Check<GatewaySettings> = {
  id: 'event-horizon',
  title: 'No open transaction holds back events',
  meaning:
    'Live updates, sealing and search read events below the oldest open transaction of this database, so that none is passed over. While one stays open they stand still.',
  remedy:
    'End the session that is named: `select pg_terminate_backend(<process>)`, or `rollback prepared` for a prepared transaction. Set idle_in_transaction_session_timeout for logins that are not ours.',
  inspect: async ({ database: open, migrations: read, now }) => {
    if (!(await read()).includes('kernel/0010_event_horizon.sql'))
      return unknown('the next start brings what this asks');
    const [oldest] = await listHolders(await open());
    if (!oldest) return pass('none is open');
    if (oldest.since === null) return unknown(`${holderName(oldest)}; this login may not see since when`);
    const leaseMs = Math.max(0, now().getTime() - oldest.since.getTime());
    const summary = `${holderName(oldest)} is open since ${Math.round(leaseMs / 1_000)} s`;
    return leaseMs > HOLD_FAIL_MS ? fail(summary) : leaseMs > HOLD_WARN_MS ? warn(summary) : pass(summary);
  },
};

export const databaseChecks: readonly Check<GatewaySettings>[] = [
  database,
  clock,
  roles,
  extensions,
  migrations,
  eventHorizon,
];
