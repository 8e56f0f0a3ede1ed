import { bytes, count, instant, integer, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { Tile } from './tiles.ts';

const log = table('tlog.logs', { id: integer });

const extents = table('tlog.extent', {
  id: integer,
  /** Index of the newest entry; null if there is none. */
  last: count.nullable(),
  /** Number of leaves in the tiles; null if there is none. */
  tiled: count.nullable(),
  openLeaves: bytes,
});

export type LogExtent = RowOf<typeof extents>;

const entry = table('tlog.found', { idx: count, bodyHash: bytes });

const bundled = table('tlog.bundled', { body: bytes });

const signed = table('tlog.signed', {
  size: count,
  rootHash: bytes,
  note: text,
  signedAt: instant,
  cosignatures: text,
});

export type SignedRow = RowOf<typeof signed>;

/** Locks a log until the transaction ends, so that the sequencers of all processes append one after the other. */
export const lock = (tx: Tx, origin: string): Promise<number> =>
  tx.run(sql`/* tlog.logs.lock */ select pg_advisory_xact_lock(hashtextextended('tlog/' || ${origin}::text, 0))`);

export const insertLog = (tx: Tx, origin: string): Promise<{ readonly id: number }> =>
  tx.get(log, sql`/* tlog.logs.insert */ insert into tlog.logs (origin) values (${origin}) returning ${log.columns}`);

const namedRows = table('tlog.logs named', { origin: text });

/** Lists every log of this platform, oldest first. */
export const listLogs = (query: Query) =>
  query.list(namedRows, sql`/* tlog.logs.list */ select origin from tlog.logs order by id`);

/** Finds the last index of a log, and the leaf hashes that its open tile must have. */
export const findExtent = (query: Query, origin: string): Promise<LogExtent | undefined> =>
  query.find(
    extents,
    sql`/* tlog.logs.findExtent */
    select l.id, e.last, t.tiled, coalesce(o.open_leaves, ''::bytea) as open_leaves
    from tlog.logs l
    cross join lateral (select max(idx) as last from tlog.entries where log_id = l.id) e
    cross join lateral (
      select string_agg(leaf_hash, ''::bytea order by idx) as open_leaves from tlog.entries
      where log_id = l.id and idx >= (e.last + 1) / 256 * 256
    ) o
    cross join lateral (
      select max(tile_index * 256 + width) as tiled from (
        select tile_index, width from tlog.tiles where log_id = l.id and level = 0 order by tile_index desc limit 1
      ) newest
    ) t
    where l.origin = ${origin}`,
  );

export const listByBodyHashes = (query: Query, origin: string, hashes: readonly Buffer[]) =>
  query.list(
    entry,
    sql`/* tlog.entries.listByBodyHashes */
    select e.idx, e.body_hash from tlog.logs l join tlog.entries e on e.log_id = l.id
    where l.origin = ${origin} and e.body_hash = any(${hashes}::bytea[])`,
  );

export const insertEntries = (tx: Tx, logId: number, first: number, bodies: readonly Buffer[]): Promise<number> =>
  tx.run(sql`/* tlog.entries.insert */
    insert into tlog.entries (log_id, idx, body)
    select ${logId}::integer, ${first}::bigint + b.at - 1, b.body
    from unnest(${bodies}::bytea[]) with ordinality as b (body, at)`);

/** Writes new or widened tiles. An existing tile must be a prefix of the new one, or the row is not counted. */
export const upsertTiles = (tx: Tx, logId: number, tiles: readonly Tile[]): Promise<number> =>
  tx.run(sql`/* tlog.tiles.upsert */
    insert into tlog.tiles as t (log_id, level, tile_index, hashes)
    select ${logId}::integer, n.level, n.tile_index, n.hashes
    from unnest(
      ${tiles.map(({ level }) => level)}::integer[],
      ${tiles.map(({ index }) => index)}::bigint[],
      ${tiles.map(({ hashes }) => hashes)}::bytea[]
    ) as n (level, tile_index, hashes)
    on conflict (log_id, level, tile_index) do update set hashes = excluded.hashes
    where t.hashes = substring(excluded.hashes for octet_length(t.hashes))
      and octet_length(t.hashes) < octet_length(excluded.hashes)`);

export interface NewCheckpoint {
  readonly size: number;
  readonly rootHash: Buffer;
  readonly note: string;
}

export const insertCheckpoint = (tx: Tx, logId: number, { size, rootHash, note }: NewCheckpoint): Promise<number> =>
  tx.run(sql`/* tlog.checkpoints.insert */
    insert into tlog.checkpoints (log_id, size, root_hash, note)
    values (${logId}, ${size}, ${rootHash}, ${note})`);

/** Finds the newest checkpoint with its witnesses' signatures. */
export const findNewest = (query: Query, origin: string): Promise<SignedRow | undefined> =>
  query.find(
    signed,
    sql`/* tlog.checkpoints.findNewest */
    select c.size, c.root_hash, c.note, c.signed_at, coalesce(
      (select string_agg(s.line, '' order by s.witness) from tlog.cosignatures s
        where s.log_id = c.log_id and s.size = c.size), '') as cosignatures
    from tlog.logs l join tlog.checkpoints c on c.log_id = l.id
    where l.origin = ${origin} order by c.size desc limit 1`,
  );

export const listBodies = (query: Query, origin: string, first: number, limit: number) =>
  query.list(
    bundled,
    sql`/* tlog.entries.listBodies */
    select e.body from tlog.logs l join tlog.entries e on e.log_id = l.id
    where l.origin = ${origin} and e.idx >= ${first} and e.idx < ${first}::bigint + ${limit}
    order by e.idx`,
  );
