import type { TenantId } from '@landfall/kernel/core/ids';
import { bigint, instant, integer, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { empty, type Sql, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { Cursor } from '@landfall/kernel/events/read';

const trail = table('kernel.events trail', {
  xid: text,
  id: bigint,
  type: text,
  entity: text,
  entityId: text,
  version: integer,
  actor: text,
  correlationId: text,
  /** JSON text, passed through unread. */
  data: text,
  at: instant,
});

export type TrailRow = RowOf<typeof trail>;

export interface TrailFilter {
  /** Filter by type: a full type, its prefix up to a dot, or its last word. */
  readonly type?: string | undefined;
  readonly entity?: string | undefined;
  readonly entityId?: string | undefined;
  /** Id, worker name or user name. */
  readonly actor?: string | undefined;
  /** Inclusive. */
  readonly from?: string | undefined;
  /** Exclusive. */
  readonly to?: string | undefined;
  readonly correlationId?: string | undefined;
}

const when = <T>(value: T | undefined, condition: (value: T) => Sql): Sql =>
  value === undefined ? empty : sql`and ${condition(value)}`;

/** Upper bound of the time between a transaction's start, which is an event's time, and its first row. */
const SLACK = sql`interval '1 hour'`;

/**
 * Bounds of a time range in the order of events, with slack, since a transaction's position comes from its first row
 * and its time from its start. They spare a scan of everything newer. The outer select makes each bound a value: behind
 * row-level security PostgreSQL uses no index for an expression that is not leakproof.
 */
const start = (tenant: TenantId, from: string): Sql => sql`e.xid >= (select coalesce((
    select n.xid from kernel.events n
    where n.tenant = ${tenant} and n.at < ${from}::timestamptz - ${SLACK}
    order by n.at desc limit 1), '0'::xid8))`;

const ending = (tenant: TenantId, to: string): Sql => sql`e.xid <= (select coalesce((
    select n.xid from kernel.events n
    where n.tenant = ${tenant} and n.at > ${to}::timestamptz + ${SLACK}
    order by n.at limit 1), '18446744073709551615'::xid8))`;

/** Array of the event types that a search term matches, each found by one index probe. */
const typesOf = (tenant: TenantId, word: string): Sql => sql`array(
    with recursive types (type) as (
      (select min(n.type) from kernel.events n where n.tenant = ${tenant})
      union all
      select (select min(n.type) from kernel.events n where n.tenant = ${tenant} and n.type > types.type)
      from types where types.type is not null
    )
    select types.type from types
    where types.type = ${word} or starts_with(types.type, ${`${word}.`}) or right(types.type, ${word.length + 1}) = ${`.${word}`})`;

const actorsOf = (tenant: TenantId, name: string): Sql => sql`array(
    select u.id::text from authority.users u where u.tenant = ${tenant} and u.username = ${name.toLowerCase()}
    union all select ${name}::text)`;

const matching = (tenant: TenantId, filter: TrailFilter): Sql => sql`
  ${when(filter.type, (type) => sql`e.type = any(${typesOf(tenant, type)})`)}
  ${when(filter.entity, (entity) => sql`e.entity = ${entity}`)}
  ${when(filter.entityId, (id) => sql`e.entity_id = ${id}`)}
  ${when(filter.actor, (actor) => sql`e.actor = any(${actorsOf(tenant, actor)})`)}
  ${when(filter.from, (from) => sql`e.at >= ${from} and ${start(tenant, from)}`)}
  ${when(filter.to, (to) => sql`e.at < ${to} and ${ending(tenant, to)}`)}
  ${when(filter.correlationId, (id) => sql`e.correlation_id = ${id}`)}`;

const before = ({ xid, id }: Cursor): Sql => sql`(e.xid, e.id) < (${String(xid)}::xid8, ${String(id)}::bigint)`;

/** Events of a tenant, newest first by commit position, since `at` is the time a transaction began. */
export const list = (
  query: Query,
  tenant: TenantId,
  {
    filter,
    after,
    limit,
  }: { readonly filter: TrailFilter; readonly after: Cursor | undefined; readonly limit: number },
): Promise<TrailRow[]> =>
  query.list(
    trail,
    sql`/* authority.audit.list */
    select e.xid::text as xid, e.id, e.type, e.entity, e.entity_id, e.version, e.actor, e.correlation_id,
      e.data::text as data, e.at
    from kernel.events e
    where e.tenant = ${tenant} ${matching(tenant, filter)} ${when(after, before)}
    order by e.xid desc, e.id desc
    limit ${limit}`,
  );
