import { bytes, count } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const floor = table('tlog.floor', {
  /** Size of the largest tree that a statement was proved in; null, like its root, if there is none. */
  attestedSize: count.nullable(),
  attestedRoot: bytes.nullable(),
  /** Size of the largest tree with a seal: its index plus one; null if there is none. */
  sealedSize: count.nullable(),
});

type FloorRow = RowOf<typeof floor>;

/** Reads the largest tree of a log recorded with statements and seals of all tenants. */
export const getRecordedTree = (query: Query, origin: string): Promise<FloorRow> =>
  query.get(
    floor,
    sql`/* tlog.floor.get */
    select a.tree_size as attested_size, a.root_hash as attested_root, s.last + 1 as sealed_size
    from (select max(log_index) as last from kernel.event_seals where log_origin = ${origin}) s
    left join lateral (
      select tree_size, root_hash from orchestrator.attestations
      where log_origin = ${origin} and log_index is not null order by tree_size desc limit 1
    ) a on true`,
  );
