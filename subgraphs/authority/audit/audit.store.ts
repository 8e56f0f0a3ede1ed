import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import { empty, type Sql, sql } from '@landfall/kernel/db/sql';
import { bigint, instant, integer, type RowOf, table, text } from '@landfall/kernel/db/table';
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
  /** JSON as it was written: nobody here needs to know what is in it. */
  data: text,
  at: instant,
});

/** One row of the audit trail. */
export type TrailRow = RowOf<typeof trail>;

export interface TrailFilter {
  /** A whole type, its beginning up to a dot, or its last word. */
  readonly type?: string | undefined;
  readonly entity?: string | undefined;
  readonly entityId?: string | undefined;
  /** An id, the name that a worker signs with, or somebody's user name. */
  readonly actor?: string | undefined;
  /** Inclusive. */
  readonly from?: string | undefined;
  /** Exclusive. */
  readonly to?: string | undefined;
  readonly correlationId?: string | undefined;
}

const when = <T>(value: T | undefined, condition: (value: T) => Sql): Sql =>
  value === undefined ? empty : sql`and ${condition(value)}`;

/** Far above the time that any transaction of ours takes from its start, which is an event's time, to its first row. */
const SLACK = sql`interval '1 hour'`;

/**
 * Where in the order of events a time begins and ends, with slack on both sides, since a transaction has its place from
 * its first row and its time from its start: so that a far time is not looked for through all that came after it. The
 * outer select makes it a value: behind row-level security PostgreSQL uses no index by an expression that might leak.
 */
const beginning = (tenant: TenantId, from: string): Sql => sql`e.xid >= (select coalesce((
    select n.xid from kernel.events n
    where n.tenant = ${tenant} and n.at < ${from}::timestamptz - ${SLACK}
    order by n.at desc limit 1), '0'::xid8))`;

const ending = (tenant: TenantId, to: string): Sql => sql`e.xid <= (select coalesce((
    select n.xid from kernel.events n
    where n.tenant = ${tenant} and n.at > ${to}::timestamptz + ${SLACK}
    order by n.at limit 1), '18446744073709551615'::xid8))`;

/**
 * The types that a word means, of those there are: each is found by one look into the index, however long the trail. An
 * array is a value, so that the index by type serves for it.
 */
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
  ${when(filter.from, (from) => sql`e.at >= ${from} and ${beginning(tenant, from)}`)}
  ${when(filter.to, (to) => sql`e.at < ${to} and ${ending(tenant, to)}`)}
  ${when(filter.correlationId, (id) => sql`e.correlation_id = ${id}`)}`;

const before = ({ xid, id }: Cursor): Sql => sql`(e.xid, e.id) < (${String(xid)}::xid8, ${String(id)}::bigint)`;

/** What happened in a tenant, the newest first: the order of events turned round, since `at` is when each began. */
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
