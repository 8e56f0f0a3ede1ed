import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table, text } from '@landfall/kernel/db/table';
import type { Owner } from './chunk.ts';

const keys = table('search.chunks documents', { documentKey: text });

/** The documents that an owner has of a source: what a source that knows all of its own compares with. */
export const listDocumentKeys = async (query: Query, owner: Owner, source: string): Promise<string[]> =>
  (
    await query.list(
      keys,
      sql`/* search.chunks.listDocumentKeys */
      select document_key from search.chunks
      where tenant = ${owner} and source = ${source} and part = 0 and removed_at is null`,
    )
  ).map((row) => row.documentKey);
