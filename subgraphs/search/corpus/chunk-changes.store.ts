import { boolean, count, oneOf, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { belowHorizon } from '@landfall/kernel/events/horizon';
import { type Cursor, formatCursor } from '@landfall/kernel/events/read';
import type { IndexChange } from '../fts/lane.ts';
import { DOMAINS, ENTITY_TYPES, SEVERITIES } from '../shared/domains.ts';

const changes = table('search.chunks changes', {
  xid: text,
  chunkId: count,
  tenant: text,
  domain: oneOf(...DOMAINS),
  entityKey: text,
  entityType: oneOf(...ENTITY_TYPES),
  identifiers: textArray,
  packages: textArray,
  title: text,
  body: text,
  severity: oneOf(...SEVERITIES).nullable(),
  ecosystem: text.nullable(),
  isRemoved: boolean,
});

/** Change of a chunk for the index: its current content, or its deletion. */
export type ChunkChange = RowOf<typeof changes>;

export const asIndexChange = (change: ChunkChange): IndexChange => {
  const { xid: _, chunkId: number, isRemoved, ...chunk } = change;
  return isRemoved ? { kind: 'remove', number } : { kind: 'put', chunk: { ...chunk, number } };
};

const positions = table('search.chunks positions', { xid: text, chunkId: count });
const extents = table('search.chunks extents', { live: count, newer: count });

const CHANGED = sql`
  xid::text as xid, chunk_id, tenant, domain, entity_key, entity_type, identifiers, packages, title, body, severity,
  ecosystem, removed_at is not null as is_removed`;

/**
 * Lists the changes of all tenants after a cursor, oldest first, below the horizon, so that none can appear before the
 * cursor. The order names the table: `xid` alone would be the selected text.
 */
export const listChanges = (query: Query, { xid, id }: Cursor, limit: number): Promise<ChunkChange[]> =>
  query.list(
    changes,
    sql`/* search.chunks.listChanges */
    select ${CHANGED} from search.chunks c
    where (c.xid, c.chunk_id) > (${String(xid)}::xid8, ${String(id)}::bigint)
      and ${belowHorizon('c.xid')}
    order by c.xid, c.chunk_id limit ${limit}`,
  );

export const listOwned = (query: Query, tenant: string, { xid, id }: Cursor, after: number, limit: number) =>
  query.list(
    changes,
    sql`/* search.chunks.listOwned */
    select ${CHANGED} from search.chunks c
    where c.tenant = ${tenant} and c.removed_at is null and c.chunk_id > ${after}::bigint
      and (c.xid, c.chunk_id) <= (${String(xid)}::xid8, ${String(id)}::bigint)
    order by c.chunk_id limit ${limit}`,
  );

const numbered = table('search.chunks numbers', { chunkId: count });

/** Returns the given chunk numbers that are not live chunks of the tenant. */
export const listOrphanedNumbers = async (
  query: Query,
  tenant: string,
  numbers: readonly number[],
): Promise<number[]> =>
  (
    await query.list(
      numbered,
      sql`/* search.chunks.listOrphanedNumbers */
      select number as chunk_id from unnest(${numbers}::bigint[]) as n (number)
      left join lateral (select tenant, removed_at from search.chunks where chunk_id = n.number offset 0) c on true
      where c.tenant is distinct from ${tenant} or c.removed_at is not null`,
    )
  ).map(({ chunkId }) => chunkId);

const cursorOfRow = ({ xid, chunkId }: { readonly xid: string; readonly chunkId: number }): Cursor => ({
  xid: BigInt(xid),
  id: BigInt(chunkId),
});

export const cursorTextOf = (change: Pick<ChunkChange, 'xid' | 'chunkId'>): string => formatCursor(cursorOfRow(change));

/** Finds the newest committed change, whether it can be read in order yet or not. */
export const findNewest = async (query: Query): Promise<Cursor | undefined> => {
  const row = await query.find(
    positions,
    sql`/* search.chunks.findNewest */
    select xid::text as xid, chunk_id from search.chunks c order by c.xid desc, c.chunk_id desc limit 1`,
  );
  return row && cursorOfRow(row);
};

/**
 * Counts live chunks, and changes after a cursor. Without newer changes an index at the cursor has exactly the live
 * chunks.
 */
export const measure = (query: Query, { xid, id }: Cursor): Promise<RowOf<typeof extents>> =>
  query.get(
    extents,
    sql`/* search.chunks.measure */
    select count(*) filter (where removed_at is null) as live,
      count(*) filter (where (c.xid, c.chunk_id) > (${String(xid)}::xid8, ${String(id)}::bigint)) as newer
    from search.chunks c`,
  );

/** Position of the newest deleted tombstone: an index before it may still contain deleted chunks. */
export const findPruned = async (query: Query): Promise<Cursor | undefined> => {
  const row = await query.find(
    positions,
    sql`/* search.chunks.findPruned */
    select xid::text as xid, event_id as chunk_id from search.projections where name = 'chunks.pruned'`,
  );
  return row && cursorOfRow(row);
};

/** Deletes at most `limit` tombstones of more than seven days, and records the newest of them. */
export const prune = (tx: Tx, limit: number): Promise<number> =>
  tx.run(sql`/* search.chunks.prune */
    with pruned as (
      delete from search.chunks where chunk_id in (
        select chunk_id from search.chunks where removed_at < kernel.now() - interval '7 days' limit ${limit})
      returning xid, chunk_id),
    newest as (select xid, chunk_id from pruned order by xid desc, chunk_id desc limit 1),
    noted as (
      insert into search.projections as p (name, xid, event_id)
      select 'chunks.pruned', xid, chunk_id from newest
      on conflict (name) do update set xid = excluded.xid, event_id = excluded.event_id, updated_at = kernel.now()
      where (p.xid, p.event_id) < (excluded.xid, excluded.event_id))
    select 1 from pruned`);
