import type { TenantId } from '@landfall/kernel/core/ids';
import { id, integer, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const positions = table('scanner.vex_statement_ids positions', {
  documentId: id('VexDocument'),
  digest: text,
  source: text,
  n: integer,
});

/** Statement of a document of a source in force. */
export type StatementPosition = RowOf<typeof positions>;

export interface PositionKey {
  readonly documentId: string;
  readonly n: number;
}

/** Statements in force about some vulnerabilities, the newest document first, after a position. */
export const listInForce = (
  query: Query,
  tenant: TenantId,
  vulnerabilityIds: readonly string[],
  { after, limit }: { readonly after: PositionKey | undefined; readonly limit: number },
): Promise<StatementPosition[]> =>
  query.list(
    positions,
    sql`/* scanner.vex_statement_ids.listInForce */
    select d.id as document_id, d.digest, s.name as source, i.n from (
      select distinct digest, n from scanner.vex_statement_ids
      where tenant = ${tenant} and vulnerability_id = any(${vulnerabilityIds}::text[])) i
    join scanner.vex_documents d on d.tenant = ${tenant} and d.digest = i.digest
    join scanner.vex_sources s on s.tenant = ${tenant} and s.id = d.source_id and s.removed_at is null
    where ${after?.documentId ?? null}::uuid is null
      or d.id < ${after?.documentId ?? null}::uuid
      or (d.id = ${after?.documentId ?? null}::uuid and i.n > ${after?.n ?? 0}::integer)
    order by d.id desc, i.n limit ${limit}`,
  );
