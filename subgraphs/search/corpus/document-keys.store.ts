import { text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import type { Owner } from './chunk.ts';

const keys = table('search.chunks documents', { documentKey: text });

/** Document keys of an owner and source, for comparison with the source's full list. */
export const listDocumentKeys = async (query: Query, owner: Owner, source: string): Promise<string[]> =>
  (
    await query.list(
      keys,
      sql`/* search.chunks.listDocumentKeys */
      select document_key from search.chunks
      where tenant = ${owner} and source = ${source} and part = 0 and removed_at is null`,
    )
  ).map((row) => row.documentKey);

export const listKnown = async (query: Query, owner: Owner, source: string, documentKeys: readonly string[]) =>
  (
    await query.list(
      keys,
      sql`/* search.chunks.listKnown */
      select c.document_key
      from unnest(${documentKeys}::text[]) as t (document_key) cross join lateral (
        select document_key from search.chunks
        where tenant = ${owner} and source = ${source} and document_key = t.document_key and part = 0
          and removed_at is null offset 0) c`,
    )
  ).map((row) => row.documentKey);
