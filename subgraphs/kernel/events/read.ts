import Type from 'typebox';
import type { TenantId } from '../core/ids.ts';
import { bigint, instant, integer, json, tenantId, text } from '../db/columns.ts';
import type { Query } from '../db/query.ts';
import { type Sql, sql } from '../db/sql.ts';
import { type RowOf, table } from '../db/table.ts';
import { belowHorizon, findHorizon } from './horizon.ts';

/** Position in the event order: transaction id and row id. Written `xid-id`, as in `Last-Event-ID`. */
export interface Cursor {
  readonly xid: bigint;
  readonly id: bigint;
}

const events = table('kernel.events', {
  tenant: tenantId,
  xid: text,
  id: bigint,
  type: text,
  entity: text,
  entityId: text,
  version: integer,
  actor: text,
  correlationId: text,
  data: json(Type.Record(Type.String(), Type.Unknown())),
  at: instant,
});

export type Event = RowOf<typeof events>;

const notices = table('kernel.events notices', {
  tenant: tenantId,
  xid: text,
  id: bigint,
  type: text,
  entity: text,
  entityId: text,
  version: integer,
  actor: text,
});

/** Event without its details, which may be long. */
export type Notice = RowOf<typeof notices>;

export const cursorOf = (event: Pick<Event, 'xid' | 'id'>): Cursor => ({ xid: BigInt(event.xid), id: event.id });

export const formatCursor = ({ xid, id }: Cursor): string => `${xid}-${id}`;

const LAST_XID = 2n ** 64n - 1n;
const LAST_ID = 2n ** 63n - 1n;

/** Parses `xid-id`; undefined for malformed or out-of-range values. */
export const parseCursor = (value: string): Cursor | undefined => {
  const [, xid, id] = /^(\d{1,20})-(\d{1,19})$/.exec(value) ?? [];
  if (xid === undefined || id === undefined) return undefined;
  const cursor = { xid: BigInt(xid), id: BigInt(id) };
  return cursor.xid <= LAST_XID && cursor.id <= LAST_ID ? cursor : undefined;
};

export const isAfter = (one: Cursor, other: Cursor): boolean =>
  one.xid > other.xid || (one.xid === other.xid && one.id > other.id);

/** Position just before the oldest transaction that is still open: every later event will be read. */
export const newest = async (query: Query): Promise<Cursor> => ({ xid: await findHorizon(query), id: 0n });

const after = (cursor: Cursor, tenant: TenantId | undefined): Sql => sql`
  (${tenant ?? null}::text is null or tenant = ${tenant ?? null})
  and (xid, id) > (${String(cursor.xid)}::xid8, ${String(cursor.id)}::bigint)
  and ${belowHorizon('xid')}`;

/**
 * Lists the events and notices after a cursor, oldest first, below the horizon, so that none can appear behind the
 * cursor. Across tenants for the system role; without `tenant` row-level security alone decides. The order names the
 * column: `xid` alone would be the text that is selected, and text sorts 1000 before 999.
 */
export const list = (query: Query, cursor: Cursor, limit: number, tenant?: TenantId): Promise<Notice[]> =>
  query.list(
    notices,
    sql`/* kernel.events.list */
    select tenant, xid::text as xid, id, type, entity, entity_id, version, actor
    from (
      (select tenant, xid, id, type, entity, entity_id, version, actor from kernel.events
        where ${after(cursor, tenant)} order by xid, id limit ${limit})
      union all
      (select tenant, xid, id, type, entity, entity_id, version, actor from kernel.notices
        where ${after(cursor, tenant)} order by xid, id limit ${limit})
    ) as e
    order by e.xid, e.id
    limit ${limit}`,
  );

/** Lists the events after a cursor with all their data, oldest first and below the horizon, without notices. */
export const listWhole = (query: Query, cursor: Cursor, limit: number, tenant?: TenantId): Promise<Event[]> =>
  query.list(
    events,
    sql`/* kernel.events.listWhole */
    select tenant, xid::text as xid, id, type, entity, entity_id, version, actor, correlation_id, data, at
    from kernel.events e
    where ${after(cursor, tenant)}
    order by e.xid, e.id
    limit ${limit}`,
  );

/**
 * Lists the events after a cursor up to the position that a reader of a tenant has reached, oldest first. They are all
 * committed, even where the horizon stands before that position: it falls back for a moment while a transaction of
 * another database ends.
 */
export const listUpTo = (
  query: Query,
  tenant: TenantId,
  { from, to, limit }: { readonly from: Cursor; readonly to: Cursor; readonly limit: number },
): Promise<Event[]> =>
  query.list(
    events,
    sql`/* kernel.events.listUpTo */
    select tenant, xid::text as xid, id, type, entity, entity_id, version, actor, correlation_id, data, at
    from kernel.events e
    where tenant = ${tenant}
      and (xid, id) > (${String(from.xid)}::xid8, ${String(from.id)}::bigint)
      and (xid, id) <= (${String(to.xid)}::xid8, ${String(to.id)}::bigint)
    order by e.xid, e.id
    limit ${limit}`,
  );

/** Deletes notices older than a day, which only readers of current changes need. */
export const pruneNotices = (query: Query): Promise<number> =>
  query.run(sql`/* kernel.notices.prune */
    delete from kernel.notices where at <= kernel.now() - interval '1 day'`);

/** Lists the events of some entities of a type, oldest first. */
export const listOf = (
  query: Query,
  tenant: TenantId,
  entity: string,
  entityIds: readonly string[],
): Promise<Event[]> =>
  query.list(
    events,
    sql`/* kernel.events.listOf */
    select tenant, xid::text as xid, id, type, entity, entity_id, version, actor, correlation_id, data, at
    from kernel.events e
    where tenant = ${tenant} and entity = ${entity} and entity_id = any(${entityIds}::text[])
    order by e.xid, e.id`,
  );

/** Latest event of a type; undefined without any. */
export const findLatest = async (query: Query, tenant: TenantId, type: string): Promise<Event | undefined> => {
  const [latest] = await query.list(
    events,
    sql`/* kernel.events.findLatest */
    select tenant, xid::text as xid, id, type, entity, entity_id, version, actor, correlation_id, data, at
    from kernel.events e
    where tenant = ${tenant} and type = ${type}
    order by e.xid desc, e.id desc
    limit 1`,
  );
  return latest;
};
