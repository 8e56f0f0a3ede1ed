import { boolean, bytes, count, double, instant, integer, text } from '../db/columns.ts';
import type { Query, Tx } from '../db/query.ts';
import { sql, trusted } from '../db/sql.ts';
import { table } from '../db/table.ts';
import { belowHorizon } from './horizon.ts';
import type { Cursor } from './read.ts';
import { digestOf, type Seal, type SealedEvent, type SealHead } from './seal.ts';

/** Number of the advisory lock under which a process seals. */
const LOCK = 7_211_950_114;

/** SQL of an instant in UTC with microseconds; the JSON form is independent of session settings and marks BC dates. */
export const utc = (expression: string) =>
  trusted(`trim(both '"' from to_json((${expression}) at time zone 'UTC')::text) || 'Z'`);

const turn = table('kernel.event_seals turn', { isMine: boolean, now: text });

/** Tries to lock sealing until the end of the transaction; false while another process holds the lock. */
export const lockSealing = (tx: Tx) =>
  tx.get(
    turn,
    sql`/* kernel.event_seals.takeTurn */
    select pg_try_advisory_xact_lock(${LOCK}::bigint) as is_mine, ${utc("date_trunc('second', kernel.now())")} as now`,
  );

const head = table('kernel.event_seals head', { sequence: count, hash: bytes, lastXid: text, lastId: text });

/** Newest seal, which the next one follows. */
export const findHead = async (query: Query): Promise<(SealHead & { readonly last: Cursor }) | undefined> => {
  const row = await query.find(
    head,
    sql`/* kernel.event_seals.findHead */
    select sequence, hash, last_xid::text as last_xid, last_id::text as last_id
    from kernel.event_seals order by sequence desc limit 1`,
  );
  return row && { ...row, last: { xid: BigInt(row.lastXid), id: BigInt(row.lastId) } };
};

const waiting = table('kernel.events waiting', { age: double });

/** Age in seconds of the oldest event without a seal, also of one that waits for the horizon; undefined without any. */
export const findBacklogAge = async (query: Query): Promise<number | undefined> =>
  (
    await query.find(
      waiting,
      sql`/* kernel.event_seals.waitsSince */
      select greatest(0, extract(epoch from kernel.now() - e.at))::float8 as age
      from kernel.events e
      where (e.xid, e.id) > (
          coalesce((select last_xid from kernel.event_seals order by sequence desc limit 1), '0'::xid8),
          coalesce((select last_id from kernel.event_seals order by sequence desc limit 1), 0))
      order by e.xid, e.id
      limit 1`,
    )
  )?.age;

/** Whether an event waits to be sealed. */
export const isWaiting = async (query: Query): Promise<boolean> => (await findBacklogAge(query)) !== undefined;

const events = table('kernel.events sealed', {
  tenant: text,
  xid: text,
  id: text,
  type: text,
  entity: text,
  entityId: text,
  version: integer,
  actor: text,
  correlationId: text,
  data: text,
  at: text,
});

/** Events after or at a cursor in the sealed form, in order and below the horizon. */
export const listEvents = (
  query: Query,
  { xid, id }: Cursor,
  limit: number,
  bound: 'after' | 'from' = 'after',
): Promise<SealedEvent[]> =>
  query.list(
    events,
    sql`/* kernel.event_seals.listEvents */
    select tenant, xid::text as xid, id::text as id, type, entity, entity_id, version, actor, correlation_id,
      data::text as data, ${utc('at')} as at
    from kernel.events e
    where (e.xid, e.id) ${bound === 'from' ? sql`>=` : sql`>`} (${String(xid)}::xid8, ${String(id)}::bigint)
      and ${belowHorizon('e.xid')}
    order by e.xid, e.id
    limit ${limit}`,
  );

export const insert = (tx: Tx, seal: Seal): Promise<number> =>
  tx.run(sql`/* kernel.event_seals.insert */
    insert into kernel.event_seals (sequence, previous, first_xid, first_id, last_xid, last_id, count, root, leaves,
      cursors, sealed_at, hash)
    values (${seal.sequence}, ${seal.previous}, ${String(seal.first.xid)}::xid8, ${String(seal.first.id)}::bigint,
      ${String(seal.last.xid)}::xid8, ${String(seal.last.id)}::bigint, ${seal.count}, ${seal.root}, ${seal.leaves},
      ${seal.cursors}, ${seal.sealedAt}::timestamptz, ${seal.hash})`);

const unlogged = table('kernel.event_seals unlogged', { sequence: count, hash: bytes });

/** Seals without a recorded log index, the oldest first. */
export const listUnlogged = (query: Query, limit: number): Promise<SealHead[]> =>
  unlogged.listWhere(query, 'listUnlogged', sql`log_index is null order by sequence limit ${limit}`);

/** Records the log indexes of seals; an index recorded before stays. */
export const setLogIndexes = (
  query: Query,
  origin: string,
  sequences: readonly number[],
  indexes: readonly number[],
): Promise<number> =>
  query.run(sql`/* kernel.event_seals.setLogIndexes */
    update kernel.event_seals s set log_index = logged.log_index, log_origin = ${origin}
    from unnest(${sequences}::bigint[], ${indexes}::bigint[]) as logged (sequence, log_index)
    where s.sequence = logged.sequence and s.log_index is null`);

const newest = table('kernel.event_seals newest', {
  sequence: count,
  hash: bytes,
  count: integer,
  sealedAt: instant,
  /** Index in the log; null until it is there. */
  logIndex: count.nullable(),
  /** Origin of the log: the first line of its checkpoints. */
  logOrigin: text.nullable(),
});

/** The newest seal over the audit trail; undefined before the first. Role `landfall_system`. */
export const newestSeal = async (query: Query) => {
  const row = await newest.findWhere(query, 'newest', sql`true order by sequence desc limit 1`);
  return row && { ...row, hash: digestOf(row.hash) };
};
