import { boolean, count, instant, integer, json, oneOf, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import { DOMAINS, ENTITY_TYPES, SEVERITIES } from '../shared/domains.ts';
import { type CardChunk, type Owner, SHARED, type StoredChunk } from './chunk.ts';

const cardColumns = {
  chunkId: count,
  domain: oneOf(...DOMAINS),
  source: text,
  documentKey: text,
  part: integer,
  entityType: oneOf(...ENTITY_TYPES),
  entityKey: text,
  title: text,
  body: text,
  severity: oneOf(...SEVERITIES).nullable(),
  ecosystem: text.nullable(),
  refType: text.nullable(),
  refId: text.nullable(),
} as const;

const chunks = table('search.chunks', {
  ...cardColumns,
  identifiers: textArray,
  packages: textArray,
  uri: text.nullable(),
  occurredAt: instant.nullable(),
  attributes: json(Type.Record(Type.String(), Type.Unknown())),
  updatedAt: instant,
});

// A list of texts is decoded in a fraction of the time as JSON.
const cardChunks = table('search.chunks of cards', { ...cardColumns, identifiers: json(Type.Array(Type.String())) });

type CardRow = Omit<RowOf<typeof cardChunks>, 'identifiers'> & Pick<CardChunk, 'identifiers'>;

const asCard = ({ chunkId, refType, refId, ...row }: CardRow): CardChunk => ({
  ...row,
  number: chunkId,
  severity: row.severity ?? undefined,
  ecosystem: row.ecosystem ?? undefined,
  ref: refType !== null && refId !== null ? { type: refType, id: refId } : undefined,
});

const asStored = ({ packages, uri, occurredAt, attributes, updatedAt, ...row }: RowOf<typeof chunks>): StoredChunk => ({
  ...asCard(row),
  packages,
  attributes,
  updatedAt,
  uri: uri ?? undefined,
  occurredAt: occurredAt ?? undefined,
});

const counts = table('search.chunks counts', { added: count, touched: count, documents: count });
const summaries = table('search.chunks summaries', {
  domain: oneOf(...DOMAINS),
  source: text,
  isShared: boolean,
  documentCount: count,
  chunkCount: count,
  updatedAt: instant,
});

export type CorpusSummary = RowOf<typeof summaries>;

/** Chunk to be written, with its fingerprint and without characters that PostgreSQL cannot store. */
export interface ChunkInput extends Omit<StoredChunk, 'number' | 'updatedAt'> {
  readonly contentHash: string;
}

/** A list as one value of a column of arrays: PostgreSQL unnests a list of lists to its last item. */
const arrayLiteral = (words: readonly string[]): string =>
  `{${words.map((word) => `"${word.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;

/**
 * Upserts chunks; unchanged ones are not written. `documents` counts the documents with a written chunk.
 * @param rows distinct chunks
 */
export const upsert = async (tx: Tx, tenant: Owner, rows: readonly ChunkInput[], runId: string | undefined) => {
  const column = <T>(of: (row: ChunkInput) => T): T[] => rows.map(of);
  const { added, touched, documents } = await tx.get(
    counts,
    sql`/* search.chunks.upsert */
    with written as (
      insert into search.chunks as c (tenant, domain, source, document_key, part, entity_type, entity_key, title, body,
        identifiers, packages, severity, ecosystem, ref_type, ref_id, uri, occurred_at, attributes, content_hash, file,
        run_id)
      select ${tenant}, t.domain, t.source, t.document_key, t.part, t.entity_type, t.entity_key, t.title, t.body,
        t.identifiers::text[], t.packages::text[], t.severity, t.ecosystem, t.ref_type, t.ref_id, t.uri, t.occurred_at,
        t.attributes, t.content_hash, t.file, ${runId ?? null}::uuid
      from unnest(${column((row) => row.domain)}::text[], ${column((row) => row.source)}::text[],
        ${column((row) => row.documentKey)}::text[], ${column((row) => row.part)}::integer[],
        ${column((row) => row.entityType)}::text[], ${column((row) => row.entityKey)}::text[],
        ${column((row) => row.title)}::text[], ${column((row) => row.body)}::text[],
        ${column((row) => arrayLiteral(row.identifiers))}::text[], ${column((row) => arrayLiteral(row.packages))}::text[],
        ${column((row) => row.severity ?? null)}::text[], ${column((row) => row.ecosystem ?? null)}::text[],
        ${column((row) => row.ref?.type ?? null)}::text[], ${column((row) => row.ref?.id ?? null)}::text[],
        ${column((row) => row.uri ?? null)}::text[], ${column((row) => row.occurredAt ?? null)}::timestamptz[],
        ${column((row) => jsonb(row.attributes ?? {}))}::jsonb[], ${column((row) => row.contentHash)}::text[],
        ${column((row) => row.file ?? null)}::text[])
        as t (domain, source, document_key, part, entity_type, entity_key, title, body, identifiers, packages, severity,
          ecosystem, ref_type, ref_id, uri, occurred_at, attributes, content_hash, file)
      on conflict (tenant, source, document_key, part) do update set
        domain = excluded.domain, entity_type = excluded.entity_type, entity_key = excluded.entity_key,
        title = excluded.title, body = excluded.body, identifiers = excluded.identifiers, packages = excluded.packages,
        severity = excluded.severity, ecosystem = excluded.ecosystem, ref_type = excluded.ref_type,
        ref_id = excluded.ref_id, uri = excluded.uri, occurred_at = excluded.occurred_at,
        attributes = excluded.attributes, content_hash = excluded.content_hash, file = excluded.file,
        run_id = greatest(excluded.run_id, c.run_id), removed_at = null, updated_at = kernel.now(),
        xid = pg_current_xact_id()
      where c.content_hash <> excluded.content_hash or c.removed_at is not null
      -- A row that was there is locked before it is changed, which leaves its mark.
      returning (xmax = 0) as is_new, source, document_key)
    select count(*) filter (where is_new) as added, count(*) as touched,
      count(distinct (source, document_key)) as documents
    from written`,
  );
  return { added, changed: touched - added, documents };
};

export interface DocumentExtent {
  readonly source: string;
  readonly documentKey: string;
  readonly parts: number;
}

const documentsOf = (documents: readonly DocumentExtent[]) => sql`
  unnest(${documents.map(({ source }) => source)}::text[], ${documents.map(({ documentKey }) => documentKey)}::text[],
    ${documents.map(({ parts }) => parts)}::integer[]) as t (source, document_key, parts)`;

const storedChunks = table('search.chunks kept', {
  chunkId: count,
  source: text,
  documentKey: text,
  part: integer,
  contentHash: text,
  isRemoved: boolean,
  isSeen: boolean,
});

export type StoredRow = RowOf<typeof storedChunks>;

/**
 * Lists the stored rows of documents, tombstones included. The lateral join with `offset 0` looks each up by its key,
 * whatever the planner's statistics.
 */
export const listStored = (
  query: Query,
  tenant: Owner,
  documents: readonly DocumentExtent[],
  runId: string | undefined,
): Promise<StoredRow[]> =>
  query.list(
    storedChunks,
    sql`/* search.chunks.listStored */
    select c.chunk_id, c.source, c.document_key, c.part, c.content_hash, c.removed_at is not null as is_removed,
      coalesce(c.run_id >= ${runId ?? null}::uuid, false) as is_seen
    from ${documentsOf(documents)} cross join lateral (
      select * from search.chunks
      where tenant = ${tenant} and source = t.source and document_key = t.document_key offset 0) c`,
  );

/** Forces custom query plans in this transaction: a generic plan made for an empty table is wrong once it is filled. */
export const forceCustomPlans = (tx: Tx): Promise<number> =>
  tx.run(sql`/* search.chunks.forceCustomPlans */ select set_config('plan_cache_mode', 'force_custom_plan', true)`);

/**
 * Chunks by number, `c`; the caller adds the tenant outside. The lateral join with `offset 0` is one primary-key lookup
 * each. A list of numbers beside the tenant that row-level security adds makes the planner estimate rows of the tenant,
 * and a wrong estimate reads all of them.
 */
const byNumber = (numbers: readonly number[]) => sql`
  unnest(${numbers}::bigint[]) as n (number) cross join lateral (
    select * from search.chunks where chunk_id = n.number offset 0) c`;

/** Marks chunks as seen by a run, unless a later run has marked them. */
export const markSeen = (tx: Tx, tenant: Owner, numbers: readonly number[], runId: string): Promise<number> =>
  tx.run(sql`/* search.chunks.markSeen */
    update search.chunks s set run_id = ${runId}::uuid
    from ${byNumber(numbers)}
    where s.chunk_id = c.chunk_id and c.tenant = ${tenant} and s.removed_at is null
      and (s.run_id is null or s.run_id < ${runId}::uuid)`);

export const tombstoned = sql`
  removed_at = kernel.now(), updated_at = kernel.now(), xid = pg_current_xact_id(), title = '', body = '',
  identifiers = '{}', packages = '{}', severity = null, ecosystem = null, ref_type = null, ref_id = null, uri = null,
  occurred_at = null, attributes = '{}', content_hash = ''`;

/** Removes the parts of a document from number `parts` on; all of them where that is 0. */
export const removeParts = (tx: Tx, tenant: Owner, documents: readonly DocumentExtent[]): Promise<number> =>
  tx.run(sql`/* search.chunks.removeParts */
    update search.chunks c set ${tombstoned}
    from ${documentsOf(documents)} cross join lateral (
      select chunk_id from search.chunks
      where tenant = ${tenant} and source = t.source and document_key = t.document_key and part >= t.parts offset 0) p
    where c.chunk_id = p.chunk_id and c.removed_at is null`);

/** Deletes at most `limit` chunks of a source that neither this run nor a later one has seen. */
export const removeUnseen = (tx: Tx, tenant: Owner, source: string, runId: string, limit: number): Promise<number> =>
  tx.run(sql`/* search.chunks.removeUnseen */
    update search.chunks c set ${tombstoned}
    where c.chunk_id in (
      select chunk_id from search.chunks
      where tenant = ${tenant} and source = ${source} and removed_at is null
        and (run_id is null or run_id < ${runId}::uuid)
      limit ${limit})`);

export const listByNumbers = async (query: Query, tenant: string, numbers: readonly number[]) =>
  (
    await query.list(
      chunks,
      sql`/* search.chunks.listByNumbers */
      select ${chunks.columns} from ${byNumber(numbers)}
      where c.tenant in (${tenant}, ${SHARED}) and c.removed_at is null`,
    )
  ).map(asStored);

export const listCardsByNumbers = async (query: Query, tenant: string, numbers: readonly number[]) =>
  (
    await query.list(
      cardChunks,
      sql`/* search.chunks.listCardsByNumbers */
      select chunk_id, domain, source, document_key, part, entity_type, entity_key, title, body,
        to_jsonb(identifiers) as identifiers, severity, ecosystem, ref_type, ref_id
      from ${byNumber(numbers)}
      where c.tenant in (${tenant}, ${SHARED}) and c.removed_at is null`,
    )
  ).map(asCard);

export const summarise = (query: Query, tenant: string): Promise<CorpusSummary[]> =>
  query.list(
    summaries,
    sql`/* search.chunks.summarise */
    select domain, source, tenant = ${SHARED} as is_shared, count(*) filter (where part = 0) as document_count,
      count(*) as chunk_count, max(updated_at) as updated_at
    from search.chunks
    where tenant in (${tenant}, ${SHARED}) and removed_at is null
    group by domain, source, tenant
    order by domain, source, tenant`,
  );

const totals = table('search.chunks totals', {
  tenant: text,
  domain: oneOf(...DOMAINS),
  source: text,
  documentCount: count,
  chunkCount: count,
  updatedAt: instant,
});

export type CorpusTotal = RowOf<typeof totals>;

export const total = (query: Query, tenant: Owner | undefined): Promise<CorpusTotal[]> =>
  query.list(
    totals,
    sql`/* search.chunks.total */
    select tenant, domain, source, count(*) filter (where part = 0) as document_count, count(*) as chunk_count,
      max(updated_at) as updated_at
    from search.chunks
    where removed_at is null and (${tenant ?? null}::text is null or tenant in (${tenant ?? null}, ${SHARED}))
    group by tenant, domain, source
    order by tenant, domain, source`,
  );
