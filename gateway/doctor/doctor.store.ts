import { boolean, count, double, instant, text, textArray } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

const servers = table('pg_settings server', { major: count, version: text, at: instant, used: count, allowed: count });

/** Reads the server's version, clock and number of used connections. */
export const readDatabaseServer = (query: Query) =>
  query.get(
    servers,
    sql`/* doctor.readDatabaseServer */
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
 * Lists problems of the database roles: missing ones, ones that the serving login may not assume, ones exempt from
 * row-level security; and whether the login itself bypasses it or could own the tables.
 * @param serving login that serves requests; null for the current one
 */
export const listDatabaseRoles = (query: Query, serving: string | null) =>
  query.get(
    roles,
    sql`/* doctor.listDatabaseRoles */
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

const duties = table('kernel.schedules late', { name: text, hours: double });

/** Lists work that is overdue by more than a day and two hours. */
export const listOverdueWork = (query: Query) =>
  query.list(
    duties,
    sql`/* doctor.listOverdueWork */
    select name, (extract(epoch from kernel.now() - last_run_at) / 3600)::float8 as hours
    from kernel.schedules where last_run_at < kernel.now() - interval '26 hours' order by name`,
  );

const purposes = table('kernel.signing_keys ages', { purpose: text, days: double });

/** Days for which each of the platform's own keys has been in use. */
export const platformKeyAges = (query: Query) =>
  query.list(
    purposes,
    sql`/* doctor.platformKeyAges */
    select purpose, (extract(epoch from kernel.now() - valid_from) / 86400)::float8 as days
    from kernel.signing_keys where valid_until is null order by purpose`,
  );
