import type { TenantId } from '@landfall/kernel/core/ids';
import { bigint, bytes, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const keys = table('orchestrator.attestations placed', { tenant: text, id: text });

export type StatementKey = RowOf<typeof keys>;

/** Lists attested statements of all tenants after a key, by tenant and reference. */
export const listKeys = (query: Query, { tenant, id }: StatementKey, limit: number): Promise<StatementKey[]> =>
  query.list(
    keys,
    sql`/* orchestrator.attestations.listKeys */
    select tenant, id::text as id from orchestrator.attestations
    where attested_at is not null and (tenant, id) > (${tenant}, ${id}::uuid)
    order by tenant, attestations.id
    limit ${limit}`,
  );

// The audit reads any value that a column may hold, so that it can name it: hence text and whole bigints.
const statement = table('orchestrator.attestations audited', {
  id: text,
  kind: text,
  subjectId: text,
  payload: bytes,
  payloadDigest: text,
  spki: bytes.nullable(),
  signature: bytes.nullable(),
  logOrigin: text.nullable(),
  logIndex: bigint.nullable(),
  logBody: bytes.nullable(),
  treeSize: bigint.nullable(),
  rootHash: bytes.nullable(),
  bundle: text.nullable(),
});

/** Statement with everything recorded about its signature and log entry. */
export type AuditedStatement = RowOf<typeof statement>;

export const listStatements = (query: Query, tenant: TenantId, ids: readonly string[]): Promise<AuditedStatement[]> =>
  query.list(
    statement,
    sql`/* orchestrator.attestations.listAudited */
    select id::text as id, kind, subject_id, payload, payload_digest, spki, signature, log_origin, log_index, log_body,
      tree_size, root_hash, bundle
    from orchestrator.attestations
    where tenant = ${tenant} and attestations.id = any(${ids}::uuid[])
    order by attestations.id`,
  );

const entry = table('tlog.entries audited', { idx: bigint, body: bytes });

/** Lists the existing entries at these indexes of a log. */
export const listEntries = (query: Query, origin: string, indexes: readonly bigint[]) =>
  query.list(
    entry,
    sql`/* tlog.entries.listByIndexes */
    select e.idx, e.body from tlog.logs l join tlog.entries e on e.log_id = l.id
    where l.origin = ${origin} and e.idx = any(${indexes.map(String)}::bigint[])`,
  );
