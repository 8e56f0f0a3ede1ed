import { bytes, count, instant, integer, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

/** Row with the newest checkpoint and one tile of a proof; the row of the leaf's own tile includes the entry. */
const material = table('tlog.material', {
  size: count,
  rootHash: bytes,
  note: text,
  signedAt: instant,
  cosignatures: text,
  level: integer,
  tileIndex: count,
  /** Hashes of the tile; null if the tile is missing, which is a fork. */
  hashes: bytes.nullable(),
  body: bytes.nullable(),
});

export type MaterialRow = RowOf<typeof material>;

/** Lists the rows of a proof about a leaf in one statement, so that they are consistent. Empty for an empty log. */
export const listMaterial = (query: Query, origin: string, leaf: number): Promise<MaterialRow[]> =>
  query.list(
    material,
    sql`/* tlog.tiles.listMaterial */
    with head as materialized (
      select l.id, c.size, c.root_hash, c.note, c.signed_at, coalesce(
        (select string_agg(s.line, '' order by s.witness) from tlog.cosignatures s
          where s.log_id = c.log_id and s.size = c.size), '') as cosignatures
      from tlog.logs l join tlog.checkpoints c on c.log_id = l.id
      where l.origin = ${origin} order by c.size desc limit 1
    )
    select h.size, h.root_hash, h.note, h.signed_at, h.cosignatures, a.level, a.tile_index, t.hashes, e.body
    from head h
    cross join lateral (
      select distinct g.level, n.tile_index from generate_series(0, 6) as g (level)
      cross join lateral (values (${leaf}::bigint >> (8 * (g.level + 1))), (h.size >> (8 * (g.level + 1)))) as n (tile_index)
      where (h.size >> (8 * g.level)) > n.tile_index * 256
    ) a
    left join tlog.tiles t on t.log_id = h.id and t.level = a.level and t.tile_index = a.tile_index
    left join tlog.entries e on e.log_id = h.id and e.idx = ${leaf}::bigint
      and a.level = 0 and a.tile_index = ${leaf}::bigint >> 8`,
  );

const tile = table('tlog.tiles', { hashes: bytes });

/** Reads the current tile; earlier, narrower versions are its prefixes. */
export const findTile = (query: Query, origin: string, level: number, index: number) =>
  query.find(
    tile,
    sql`/* tlog.tiles.find */
    select t.hashes from tlog.logs l join tlog.tiles t on t.log_id = l.id
    where l.origin = ${origin} and t.level = ${level} and t.tile_index = ${index}`,
  );
