import { id, instant, integer, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { type Owner, SHARED } from '../corpus/chunk.ts';

const imports = table('search.imports', {
  importId: id('SearchImport'),
  tenant: text,
  source: text,
  state: oneOf('running', 'completed', 'failed'),
  documents: integer,
  chunks: integer,
  refused: integer,
  removed: integer,
  startedAt: instant,
  endedAt: instant.nullable(),
  error: text.nullable(),
});

export type ImportRow = RowOf<typeof imports>;

export type ImportCounts = Pick<ImportRow, 'documents' | 'chunks' | 'refused' | 'removed'>;

export const insert = (tx: Tx, tenant: Owner, importId: string, source: string): Promise<number> =>
  tx.run(sql`/* search.imports.insert */
    insert into search.imports (import_id, tenant, source, state)
    values (${importId}::uuid, ${tenant}, ${source}, 'running')`);

/** Inserts an import that completes in the same transaction. */
export const insertCompleted = (
  tx: Tx,
  tenant: Owner,
  importId: string,
  source: string,
  { documents, chunks, refused, removed }: ImportCounts,
): Promise<ImportRow> =>
  tx.get(
    imports,
    sql`/* search.imports.insertCompleted */
    insert into search.imports (import_id, tenant, source, state, documents, chunks, refused, removed, ended_at)
    values (${importId}::uuid, ${tenant}, ${source}, 'completed', ${documents}::integer, ${chunks}::integer,
      ${refused}::integer, ${removed}::integer, kernel.now())
    returning ${imports.columns}`,
  );

export const progress = (
  tx: Tx,
  tenant: Owner,
  importId: string,
  { documents, chunks, refused, removed }: ImportCounts,
): Promise<number> =>
  tx.run(sql`/* search.imports.progress */
    update search.imports set documents = ${documents}::integer, chunks = ${chunks}::integer,
      refused = ${refused}::integer, removed = ${removed}::integer, heard_at = kernel.now()
    where import_id = ${importId}::uuid and tenant = ${tenant}`);

/** Ends an import; `source` lists the names of the sources under which documents were stored. */
export const end = (
  tx: Tx,
  tenant: Owner,
  importId: string,
  { state, source, error }: Pick<ImportRow, 'state' | 'source' | 'error'>,
): Promise<number> =>
  tx.run(sql`/* search.imports.end */
    update search.imports set state = ${state}, source = ${source}, error = ${error}, ended_at = kernel.now()
    where import_id = ${importId}::uuid and tenant = ${tenant}`);

export const listAll = (query: Query, tenant: Owner | undefined, limit: number): Promise<ImportRow[]> =>
  imports.listWhere(
    query,
    'listAll',
    sql`${tenant ?? null}::text is null or tenant in (${tenant ?? null}, ${SHARED})
    order by started_at desc, import_id desc limit ${limit}`,
  );

/** Lists the latest imports of a tenant, including those in progress. */
export const listLatest = (query: Query, tenant: string, limit: number): Promise<ImportRow[]> =>
  imports.listWhere(
    query,
    'listLatest',
    sql`tenant = ${tenant} order by started_at desc, import_id desc limit ${limit}`,
  );

/** Marks imports without progress for ten minutes as failed: their process has died. */
export const failStalledImports = (tx: Tx, error: string): Promise<number> =>
  tx.run(sql`/* search.imports.failStalledImports */
    update search.imports set state = 'failed', error = ${error}, ended_at = kernel.now()
    where state = 'running' and heard_at < kernel.now() - interval '10 minutes'`);

/** Prunes imports after 90 days. */
export const prune = (tx: Tx): Promise<number> =>
  imports.removeWhere(tx, 'prune', sql`ended_at < kernel.now() - interval '90 days'`);
