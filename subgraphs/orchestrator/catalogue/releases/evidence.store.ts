import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, oneOf, text } from '@landfall/kernel/db/columns';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { type EvidenceType, evidenceTypes } from '../../shared/enums.ts';

const evidence = table('orchestrator.release_evidence', {
  releaseId: id('Release'),
  type: oneOf(...evidenceTypes),
  digest: text,
  recordedAt: instant,
});

/** Document about a release, such as a scan report, attached by its digest. */
export type Evidence = RowOf<typeof evidence>;

/** Lists the evidence of these releases, oldest first. */
export const listOf = (query: Query, tenant: TenantId, releases: readonly Id<'Release'>[]) =>
  evidence.listWhere(
    query,
    'listOf',
    sql`tenant = ${tenant} and release_id = any(${releases}::uuid[])
    order by recorded_at, type, digest`,
  );

/** Inserts evidence of a release. @throws Fault RES_ALREADY_EXISTS */
export const insert = (
  tx: Tx,
  tenant: TenantId,
  release: Id<'Release'>,
  { type, digest }: { readonly type: EvidenceType; readonly digest: string },
  by: string,
): Promise<number> =>
  onConflict(
    tx.run(sql`/* orchestrator.release_evidence.insert */
      insert into orchestrator.release_evidence (tenant, release_id, type, digest, recorded_by)
      values (${tenant}, ${release}, ${type}, ${digest}, ${by})`),
    'release_evidence_key',
    () => new Fault('RES_ALREADY_EXISTS', 'This evidence is attached already.', { type, digest }),
  );
