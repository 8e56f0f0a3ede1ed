import type { TenantId } from '../core/ids.ts';
import { boolean, count, instant, integer, oneOf, text } from '../db/columns.ts';
import type { Query } from '../db/query.ts';
import { sql } from '../db/sql.ts';
import { type RowOf, table } from '../db/table.ts';

const decisions = table('kernel.egress_decisions', {
  host: text,
  port: integer,
  transport: oneOf('tcp', 'udp', 'http', 'https'),
  feature: text,
  allowed: count,
  blocked: count,
  reason: text.nullable(),
  firstAt: instant,
  lastAt: instant,
  /** Whether it is traffic of the platform itself, which belongs to no tenant. */
  isPlatform: boolean,
});

/** Decisions about a destination, added up. */
export type RecordedDecision = RowOf<typeof decisions>;

/** Tenant of the platform's own traffic, which every tenant sees. */
export const PLATFORM = '*';

/** Days that decisions are kept. */
export const RETENTION_DAYS = 30;
/** Destinations of a tenant and a day that are told apart; those above share one row. */
const MAX_OF_DAY = 1_000;

/** Decisions of a process since it last recorded. */
export interface DecisionCount extends Omit<RecordedDecision, 'firstAt' | 'lastAt' | 'isPlatform'> {
  /** `*` for traffic of no tenant. */
  readonly tenant: string;
}

/** Adds decisions to those of the day. Role `landfall_system`. */
export const add = (query: Query, counts: readonly DecisionCount[]): Promise<number> => {
  const list = <K extends keyof DecisionCount>(key: K) => counts.map((each) => each[key]);
  return query.run(sql`/* kernel.egress_decisions.add */
    with given as (
      select * from unnest(${list('tenant')}::text[], ${list('host')}::text[], ${list('port')}::integer[],
        ${list('transport')}::text[], ${list('feature')}::text[], ${list('allowed')}::bigint[],
        ${list('blocked')}::bigint[], ${list('reason')}::text[])
        as given (tenant, host, port, transport, feature, allowed, blocked, reason)
    ), named as (
      select g.*, case when exists (
          select from kernel.egress_decisions d where d.tenant = g.tenant and d.day = kernel.now()::date
            and d.host = g.host and d.port = g.port and d.transport = g.transport and d.feature = g.feature)
        or row_number() over (partition by g.tenant order by g.host, g.port, g.transport, g.feature) + (
          select count(*) from kernel.egress_decisions d where d.tenant = g.tenant and d.day = kernel.now()::date)
          <= ${MAX_OF_DAY} then g.host else '*' end as told
      from given g
    )
    insert into kernel.egress_decisions as d (tenant, day, host, port, transport, feature, allowed, blocked, reason)
    select tenant, kernel.now()::date, told, case when told = '*' then 0 else port end, transport, feature,
      sum(allowed), sum(blocked), max(reason)
    from named group by 1, 2, 3, 4, 5, 6
    on conflict (tenant, day, host, port, transport, feature) do update set
      allowed = d.allowed + excluded.allowed, blocked = d.blocked + excluded.blocked,
      reason = coalesce(excluded.reason, d.reason), last_at = excluded.last_at`);
};

/** Deletes decisions that are older than 30 days. Role `landfall_system`. */
export const prune = (query: Query): Promise<number> =>
  decisions.removeWhere(query, 'prune', sql`day < kernel.now()::date - ${RETENTION_DAYS}::integer`);

/** Destinations of a tenant and of the platform in the last 30 days, the latest first. */
export const listDestinations = (
  query: Query,
  tenant: TenantId,
  { isBlocked = false, limit }: { readonly isBlocked?: boolean; readonly limit: number },
): Promise<RecordedDecision[]> =>
  query.list(
    decisions,
    sql`/* kernel.egress_decisions.listDestinations */
    select host, port, transport, feature, sum(allowed)::bigint as allowed, sum(blocked)::bigint as blocked,
      (array_agg(reason order by last_at desc) filter (where reason is not null))[1] as reason,
      min(first_at) as first_at, max(last_at) as last_at, tenant = ${PLATFORM} as is_platform
    from kernel.egress_decisions
    where tenant in (${tenant}, ${PLATFORM}) and day >= kernel.now()::date - ${RETENTION_DAYS}::integer
    group by tenant, host, port, transport, feature
    having not ${isBlocked} or sum(blocked) > 0
    order by max(last_at) desc, host, port limit ${limit}`,
  );
