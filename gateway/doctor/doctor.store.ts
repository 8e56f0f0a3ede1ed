import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { boolean, count, double, instant, table, text, textArray } from '@landfall/kernel/db/table';

/** The tables of modules that may not have been migrated yet: nothing there is nothing known. */
const there = table('pg_class exists', { isThere: boolean });

export const hasTable = async (query: Query, name: string): Promise<boolean> =>
  (await query.get(there, sql`/* doctor.hasTable */ select to_regclass(${name}) is not null as is_there`)).isThere;

const servers = table('pg_settings server', { major: count, version: text, at: instant, used: count, allowed: count });

/** The server, its clock, and how many of its connections are taken. */
export const server = (query: Query) =>
  query.get(
    servers,
    sql`/* doctor.server */
    select (current_setting('server_version_num')::bigint / 10000) as major,
      current_setting('server_version') as version, clock_timestamp() as at,
      (select count(*) from pg_stat_activity where backend_type = 'client backend') as used,
      current_setting('max_connections')::bigint as allowed`,
  );

const roles = table('pg_roles ours', {
  missing: textArray,
  unheld: textArray,
  excessive: textArray,
  login: text,
  isUnlimited: boolean,
  isOwner: boolean,
});

/**
 * Our roles: those that are not there, that the serving login may not take, and that row-level security would not hold;
 * and whether it would hold the login itself, which may bypass it or become the owner of the tables.
 * @param serving the login that works with the database; null for the one that asks
 */
export const ourRoles = (query: Query, serving: string | null) =>
  query.get(
    roles,
    sql`/* doctor.ourRoles */
    with wanted (name) as (values ('landfall_migrator'), ('landfall_app'), ('landfall_system')),
      login as (select oid, rolname, rolsuper or rolbypassrls as is_unlimited from pg_roles
        where rolname = coalesce(${serving}, session_user))
    select
      array(select name from wanted where not exists (select from pg_roles where rolname = name))::text[] as missing,
      array(select r.rolname::text from pg_roles r join wanted on r.rolname = name
        where name <> 'landfall_migrator' and not pg_has_role(login.oid, r.oid, 'member'))::text[] as unheld,
      array(select r.rolname::text from pg_roles r join wanted on r.rolname = name
        where name <> 'landfall_migrator' and (rolsuper or rolbypassrls
          or exists (select from pg_auth_members where member = r.oid)))::text[] as excessive,
      login.rolname::text as login, login.is_unlimited,
      exists (select from pg_roles r where r.rolname = 'landfall_migrator' and pg_has_role(login.oid, r.oid, 'member'))
        as is_owner
    from login`,
  );

const extensions = table('pg_extension ours', { installed: boolean, available: boolean });

export const extension = (query: Query, name: string) =>
  query.get(
    extensions,
    sql`/* doctor.extension */
    select exists (select from pg_extension where extname = ${name}) as installed,
      exists (select from pg_available_extensions where name = ${name}) as available`,
  );

const ages = table('keys ages', { days: double });

/** Days for which the key of access tokens has signed; nothing before the first one. */
export const tokenKeyAge = (query: Query) =>
  query.find(
    ages,
    sql`/* doctor.tokenKeyAge */
    select (extract(epoch from kernel.now() - since) / 86400)::float8 as days
    from authority.signing_keys where state = 'current'`,
  );

/** Days until registries refuse every token, unless somebody renews what signs them; nothing before the first certificate. */
export const registryCertificateLeft = (query: Query) =>
  query.find(
    ages,
    sql`/* doctor.registryCertificateLeft */
    select (extract(epoch from min(not_after) - kernel.now()) / 86400)::float8 as days
    from registry.certificates where state = 'current' having min(not_after) is not null`,
  );

const certificates = table('certificates of agents', { certificate: text });

export const agentAuthority = (query: Query) =>
  query.find(
    certificates,
    sql`/* doctor.agentAuthority */ select certificate from orchestrator.agent_authorities where id = 1`,
  );

const fleets = table('orchestrator.agents fleet', { present: count, away: count, ended: count, skewed: count });

/** Agents: those that report, those that do not, whose certificate has ended, whose clock is off by more than 30 s. */
export const fleet = (query: Query) =>
  query.get(
    fleets,
    sql`/* doctor.fleet */
    select count(*) filter (where state = 'active') as present,
      count(*) filter (where state in ('stale', 'offline')) as away,
      count(*) filter (where certificate_not_after < kernel.now()) as ended,
      count(*) filter (where abs(clock_skew_ms) > 30000) as skewed
    from orchestrator.agents where state <> 'revoked'`,
  );

const duties = table('kernel.schedules late', { name: text, hours: double });

/** Work that is due by the clock and has not been done for more than a day and two hours. */
export const lateDuties = (query: Query) =>
  query.list(
    duties,
    sql`/* doctor.lateDuties */
    select name, (extract(epoch from kernel.now() - last_run_at) / 3600)::float8 as hours
    from kernel.schedules where last_run_at < kernel.now() - interval '26 hours' order by name`,
  );

const indexes = table('search state', { chunks: count, waiting: count, behind: double, failed: count });

/** Size of the search index, how many events wait to become documents and for how many seconds, and imports that failed today. */
export const searchState = (query: Query) =>
  query.get(
    indexes,
    sql`/* doctor.searchState */
    with place as (
      select coalesce(max(xid::text::numeric), 0) as xid from search.projections where name like 'platform.%'),
    waiting as (
      select count(*) as events, coalesce(max(extract(epoch from kernel.now() - e.at)), 0) as seconds
      from kernel.events e, place where e.xid > place.xid::text::xid8)
    select (select count(*) from search.chunks where removed_at is null) as chunks, waiting.events as waiting,
      greatest(waiting.seconds, 0)::float8 as behind,
      (select count(*) from search.imports where state = 'failed' and started_at > kernel.now() - interval '1 day')
        as failed
    from waiting`,
  );

const adapters = table('search.adapters on snapshots', { name: text, cause: text.nullable(), tenants: count });

/** Sources that serve what was kept because the route behind them does not answer. */
export const snapshotAdapters = (query: Query) =>
  query.list(
    adapters,
    sql`/* doctor.snapshotAdapters */
    select name, cause, count(*) as tenants from search.adapters
    where source = 'Snapshot' group by name, cause order by name, cause`,
  );

const purposes = table('kernel.signing_keys ages', { purpose: text, days: double });

/** Days for which each of the platform's own keys has signed. */
export const platformKeyAges = (query: Query) =>
  query.list(
    purposes,
    sql`/* doctor.platformKeyAges */
    select purpose, (extract(epoch from kernel.now() - valid_from) / 86400)::float8 as days
    from kernel.signing_keys where valid_until is null order by purpose`,
  );
