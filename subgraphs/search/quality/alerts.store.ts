import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { count, id, instant, integer, oneOf, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { empty, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { comparable, isAbandoned, isSettled } from './abandonment.ts';

export const ALERT_TYPES = ['fallback_loop', 'abandoned_fallback'] as const;
export const ALERT_STATUSES = ['open', 'acknowledged', 'resolved'] as const;

export type AlertType = (typeof ALERT_TYPES)[number];
export type AlertStatus = (typeof ALERT_STATUSES)[number];

const columns = {
  alertId: id('SearchAlert'),
  alertType: oneOf(...ALERT_TYPES),
  status: oneOf(...ALERT_STATUSES),
  query: text,
  occurrences: integer,
  firstSeenAt: instant,
  lastSeenAt: instant,
  resolution: text.nullable(),
  version: integer,
} as const;

const alerts = table('search.alerts', columns, {
  key: 'alertId',
  notFound: (alertId) => new Fault('advisoryai.not_found', `There is no alert ${alertId}.`),
});

export const { get, getLocked } = alerts;

/** Alert with its normalised query: only the database folds case. */
const compared = table('search.alerts compared', { ...columns, comparedQuery: text });

export type AlertId = Id<'SearchAlert'>;
export type Alert = RowOf<typeof alerts>;

const observations = table('search.analytics sightings', {
  query: text,
  comparedQuery: text,
  occurrences: count,
  firstSeenAt: instant,
  lastSeenAt: instant,
});

/** Poorly answered query, as the monitor finds it. */
export type Observation = RowOf<typeof observations>;

const tenants = table('search.alerts tenants', { tenant: tenantId });
const quiet = table('search.alerts quiet', { alertId: id('SearchAlert') });

export interface AlertFilter {
  /** Unresolved alerts by default. */
  readonly status?: AlertStatus | undefined;
  readonly alertType?: AlertType | undefined;
}

export const list = (query: Query, tenant: TenantId, { status, alertType }: AlertFilter, limit: number) =>
  alerts.listWhere(
    query,
    'list',
    sql`tenant = ${tenant}
      ${status === undefined ? sql`and status <> 'resolved'` : sql`and status = ${status}`}
      ${alertType === undefined ? empty : sql`and alert_type = ${alertType}`}
    order by last_seen_at desc, alert_id limit ${limit}`,
  );

export const lockUnresolved = (tx: Tx, tenant: TenantId, alertType: AlertType) =>
  tx.list(
    compared,
    sql`/* search.alerts.lockUnresolved */
    select ${alerts.columns}, ${comparable(sql`query`)} as compared_query from search.alerts
    where tenant = ${tenant} and alert_type = ${alertType} and status <> 'resolved'
    order by alert_id for update`,
  );

/** Inserts an alert and returns it; undefined when an equal one is open. */
export const insert = (tx: Tx, tenant: TenantId, alertId: AlertId, alertType: AlertType, observation: Observation) => {
  const { query, occurrences, firstSeenAt, lastSeenAt } = observation;
  return alerts.insertIfAbsent(tx, tenant, { alertId, alertType, query, occurrences, firstSeenAt, lastSeenAt });
};

/** Extends an open alert by newly seen occurrences. */
export const grow = (tx: Tx, tenant: TenantId, alertId: AlertId, observation: Observation): Promise<Alert> =>
  tx.get(
    alerts,
    sql`/* search.alerts.grow */
    update search.alerts
    set occurrences = greatest(occurrences, ${observation.occurrences}), last_seen_at = greatest(last_seen_at, ${observation.lastSeenAt}),
      version = version + 1
    where tenant = ${tenant} and alert_id = ${alertId}
    returning ${alerts.columns}`,
  );

export const settle = (
  tx: Tx,
  tenant: TenantId,
  alertId: AlertId,
  { status, resolution }: { readonly status: 'acknowledged' | 'resolved'; readonly resolution: string | null },
): Promise<Alert> =>
  tx.get(
    alerts,
    sql`/* search.alerts.settle */
    update search.alerts
    set status = ${status}, resolution = coalesce(${resolution}::text, resolution), version = version + 1,
      resolved_at = case when ${status}::text = 'resolved' then kernel.now() end
    where tenant = ${tenant} and alert_id = ${alertId}
    returning ${alerts.columns}`,
  );

export const listQuiet = async (tx: Tx, tenant: TenantId, alertIds: readonly string[], minutes: number) =>
  (
    await tx.list(
      quiet,
      sql`/* search.alerts.listQuiet */
      select alert_id from search.alerts
      where tenant = ${tenant} and alert_id = any(${alertIds}::uuid[])
        and last_seen_at <= kernel.now() - make_interval(mins => ${minutes})`,
    )
  ).map(({ alertId }) => alertId);

/** Fallback answers of the last minutes, those left out whose query was settled for this type after them: `f`. */
const fallbacks = (tenant: TenantId, alertType: AlertType, minutes: number) => sql`
  select f.*, ${comparable(sql`f.query`)} as compared_query from search.analytics f
  where f.tenant = ${tenant} and f.kind = 'answer_frame' and f.outcome = 'fallback' and f.query is not null
    and f.at > kernel.now() - make_interval(mins => ${minutes})
    and not exists (
      select from search.alerts r
      where r.tenant = ${tenant} and r.alert_type = ${alertType} and r.status = 'resolved'
        and md5(lower(r.query)) = md5(${comparable(sql`f.query`)}) and r.resolved_at >= f.at)`;

const AS_LAST_WRITTEN = sql`(array_agg(btrim(query) order by at desc))[1] as query, compared_query`;

/** Upper bound of queries per check; a longer list would be useless to people. */
export const MAX_OBSERVATIONS = 200;
const NEWEST = sql`order by max(at) desc, compared_query limit ${MAX_OBSERVATIONS}`;

/** Lists queries for which a visit got at least `least` fallback answers. */
export const listLoops = (tx: Tx, tenant: TenantId, minutes: number, least: number): Promise<Observation[]> =>
  tx.list(
    observations,
    sql`/* search.analytics.listLoops */
    with fallbacks as (${fallbacks(tenant, 'fallback_loop', minutes)}),
    visits as (
      select *, count(*) over (partition by compared_query, coalesce('s' || session_id, 'u' || subject)) as times from fallbacks)
    select ${AS_LAST_WRITTEN}, count(*) as occurrences, min(at) as first_seen_at, max(at) as last_seen_at
    from visits where times >= ${least}
    group by compared_query ${NEWEST}`,
  );

/** Lists queries with at least so many abandoned fallback answers. */
export const listAbandoned = (tx: Tx, tenant: TenantId, minutes: number, least: number): Promise<Observation[]> =>
  tx.list(
    observations,
    sql`/* search.analytics.listAbandoned */
    with fallbacks as (${fallbacks(tenant, 'abandoned_fallback', minutes)})
    select ${AS_LAST_WRITTEN}, count(*) as occurrences, min(at) as first_seen_at, max(at) as last_seen_at
    from fallbacks f where ${isSettled} and ${isAbandoned(tenant)}
    group by compared_query having count(*) >= ${least} ${NEWEST}`,
  );

/** Tenants with fallback answers in the last minutes, or with an alert that is not resolved. Role `landfall_system`. */
export const listTenants = async (query: Query, minutes: number): Promise<TenantId[]> =>
  (
    await query.list(
      tenants,
      sql`/* search.alerts.listTenants */
      select tenant from search.analytics
      where kind = 'answer_frame' and outcome = 'fallback' and at > kernel.now() - make_interval(mins => ${minutes})
      union
      select tenant from search.alerts where status <> 'resolved'
      order by tenant`,
    )
  ).map(({ tenant }) => tenant);

/** Deletes alerts resolved more than `days` days ago. Role `landfall_system`. */
export const prune = (query: Query, days: number): Promise<number> =>
  alerts.removeWhere(
    query,
    'prune',
    sql`status = 'resolved' and resolved_at < kernel.now() - make_interval(days => ${days})`,
  );
