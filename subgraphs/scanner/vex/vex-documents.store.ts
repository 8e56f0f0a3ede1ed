import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { count, id, instant, integer, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { type Sql, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { VEX_TRUSTS } from '../advisories/vex-ruling.ts';
import { SIGNATURES } from './signature-check.ts';
import { FORMATS, problemList } from './vex-contents.store.ts';

const documents = table('scanner.vex_documents', {
  id: id('VexDocument'),
  sourceId: id('VexSource'),
  digest: text,
  signerKeyId: text.nullable(),
  signature: oneOf(...SIGNATURES),
  importedBy: text,
  importedAt: instant,
});

const listed = table('scanner.vex_documents listed', {
  id: id('VexDocument'),
  sourceId: id('VexSource'),
  source: text,
  rank: integer,
  digest: text,
  format: oneOf(...FORMATS),
  /** Trust at this time (proofs 2.1). */
  trust: oneOf(...VEX_TRUSTS),
  signature: oneOf(...SIGNATURES),
  issuedAt: instant.nullable(),
  statementCount: integer,
  problemCount: integer,
  problems: problemList,
  size: integer,
  importedBy: text,
  importedAt: instant,
});

/** Document of a source in force. */
export type ListedDocument = RowOf<typeof listed>;

export const { insert } = documents;

/** Document of a source by its digest. */
export const findOfSource = (query: Query, tenant: TenantId, sourceId: Id<'VexSource'>, digest: string) =>
  documents.findWhere(
    query,
    'findOfSource',
    sql`tenant = ${tenant} and source_id = ${sourceId} and digest = ${digest}`,
  );

/** Notes that a signature of a document was verified. */
export const setVerified = (tx: Tx, tenant: TenantId, document: Id<'VexDocument'>, keyId: string): Promise<number> =>
  tx.run(sql`/* scanner.vex_documents.setVerified */
    update scanner.vex_documents set signature = 'verified', signer_key_id = ${keyId}
    where tenant = ${tenant} and id = ${document}`);

/** Trust of a document `d` of a source `s`: a key that was replaced verifies nothing. */
const trust: Sql = sql`case when d.signer_key_id = s.key_id then 'verified'
    when s.trust = 'trusted' then 'trusted' else 'untrusted' end`;

const inForce = (tenant: TenantId): Sql => sql`scanner.vex_documents d
    join scanner.vex_sources s on s.tenant = d.tenant and s.id = d.source_id and s.removed_at is null
    join scanner.vex_contents c on c.tenant = d.tenant and c.digest = d.digest
    where d.tenant = ${tenant}`;

const columns: Sql = sql`d.id, d.source_id, s.name as source, s.rank, d.digest, c.format, ${trust} as trust, d.signature, c.issued_at,
    c.statement_count, c.problem_count, c.problems, c.size, d.imported_by, d.imported_at`;

/** Document by its id. @throws Fault RES_NOT_FOUND for one whose source was removed, too */
export const get = async (query: Query, tenant: TenantId, document: Id<'VexDocument'>): Promise<ListedDocument> => {
  const found = await query.find(
    listed,
    sql`/* scanner.vex_documents.getListed */ select ${columns} from ${inForce(tenant)} and d.id = ${document}`,
  );
  if (found) return found;
  throw new Fault('RES_NOT_FOUND', `There is no VEX document ${document}.`, { id: document });
};

/** Documents of a source, the newest first; one more than the page if there are more. */
export const list = (
  query: Query,
  tenant: TenantId,
  sourceId: Id<'VexSource'>,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<ListedDocument[]> =>
  query.list(
    listed,
    sql`/* scanner.vex_documents.list */ select ${columns} from ${inForce(tenant)} and d.source_id = ${sourceId}
      and (${page.after ?? null}::uuid is null or d.id < ${page.after ?? null})
    order by d.id desc limit ${page.limit}`,
  );

const totals = table('scanner.vex_documents totals', {
  sourceId: id('VexSource'),
  documentCount: count,
  statementCount: count,
  problemCount: count,
  lastImportedAt: instant,
});

/** Number of documents of a source, and of what they contain. */
export type SourceTotals = RowOf<typeof totals>;

/** Totals of the sources among `sourceIds` that have a document. */
export const listTotals = (query: Query, tenant: TenantId, sourceIds: readonly Id<'VexSource'>[]) =>
  query.list(
    totals,
    sql`/* scanner.vex_documents.listTotals */
    select d.source_id, count(*) as document_count, sum(c.statement_count)::bigint as statement_count,
      sum(c.problem_count)::bigint as problem_count, max(d.imported_at) as last_imported_at
    from scanner.vex_documents d
    join scanner.vex_contents c on c.tenant = d.tenant and c.digest = d.digest
    where d.tenant = ${tenant} and d.source_id = any(${sourceIds}::uuid[])
    group by d.source_id`,
  );

const pinned = table('scanner.vex_documents pinned', {
  digest: text,
  rank: integer,
  source: text,
  trust: oneOf(...VEX_TRUSTS),
});

/** Documents in force with the trust and rank that they have now. */
export const listInForce = (query: Query, tenant: TenantId) =>
  query.list(
    pinned,
    sql`/* scanner.vex_documents.listInForce */
    select d.digest, s.rank, s.name as source, ${trust} as trust
    from scanner.vex_documents d
    join scanner.vex_sources s on s.tenant = d.tenant and s.id = d.source_id and s.removed_at is null
    where d.tenant = ${tenant} order by d.digest, s.name`,
  );
