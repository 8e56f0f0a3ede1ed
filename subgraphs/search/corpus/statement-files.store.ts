import type { Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import type { Owner } from './chunk.ts';
import { tombstoned } from './chunks.store.ts';

/** Files that were read to their ends, and the sources that their statements may be under. */
export interface ReadFiles {
  readonly files: readonly string[];
  readonly sources: readonly string[];
}

/** Removes statements of these files that neither this run nor a later one has seen, at most `limit` chunks. */
export const removeMissing = (tx: Tx, tenant: Owner, { files, sources }: ReadFiles, runId: string, limit: number) =>
  tx.run(sql`/* search.chunks.removeUnsaid */
    update search.chunks c set ${tombstoned}
    where c.chunk_id in (
      select s.chunk_id from unnest(${files}::text[]) as f (file) cross join lateral (
        select chunk_id from search.chunks
        where tenant = ${tenant} and file = f.file and source = any(${sources}::text[]) and removed_at is null
          and (run_id is null or run_id < ${runId}::uuid) offset 0) s
      limit ${limit})`);

/** Removes at most `limit` chunks of statements without a file that are identical to a statement with a file. */
export const removeDuplicateStatements = (
  tx: Tx,
  tenant: Owner,
  sources: readonly string[],
  limit: number,
): Promise<number> =>
  tx.run(sql`/* search.chunks.removeSaidAnew */
    update search.chunks c set ${tombstoned}
    where c.chunk_id in (
      select o.chunk_id from search.chunks o
      where o.tenant = ${tenant} and o.source = any(${sources}::text[]) and o.file is null and o.domain = 'vex'
        and o.removed_at is null and exists (
          select from search.chunks n
          where n.tenant = o.tenant and n.entity_key = o.entity_key and n.source = o.source and n.part = o.part
            and n.file is not null and n.removed_at is null and n.title = o.title and n.body = o.body
            and n.identifiers = o.identifiers and n.packages = o.packages and n.attributes = o.attributes
            and n.occurred_at is not distinct from o.occurred_at)
      limit ${limit})`);
