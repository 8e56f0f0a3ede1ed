import { boolean, count, text, textArray } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { belowHorizon } from '@landfall/kernel/events/horizon';
import type { Cursor } from '@landfall/kernel/events/read';

const changes = table('search.chunks texts', {
  xid: text,
  chunkId: count,
  entityKey: text,
  title: text,
  body: text,
  packages: textArray,
  isRemoved: boolean,
});

export type TextChange = RowOf<typeof changes>;

/** Characters of a body that a vector is made of. */
const BODY_LENGTH = 800;

/**
 * Changes of an owner's chunks after a cursor, oldest first, below the horizon. `tenant || ''` selects the one index on
 * that expression, so that no rows of other owners are read.
 */
export const listTexts = (query: Query, owner: string, { xid, id }: Cursor, limit: number): Promise<TextChange[]> =>
  query.list(
    changes,
    sql`/* search.chunks.listTexts */
    select c.xid::text as xid, c.chunk_id, c.entity_key, c.title, left(c.body, ${BODY_LENGTH}::integer) as body, c.packages,
      c.removed_at is not null as is_removed
    from search.chunks c
    where (c.tenant || '', c.xid, c.chunk_id) > (${owner}, ${String(xid)}::xid8, ${String(id)}::bigint)
      and c.tenant || '' <= ${owner}
      and ${belowHorizon('c.xid')}
    order by c.tenant || '', c.xid, c.chunk_id limit ${limit}`,
  );
