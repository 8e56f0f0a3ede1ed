import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean } from '@landfall/kernel/db/columns';
import type { Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

interface FreezeKey {
  readonly scanId: Id<'Scan'>;
  readonly freezeNumber: number;
}

const reference = table('scanner.freezes referred', { isReferred: boolean });

/** Whether a replay or a proof bundle refers to a freeze. */
export const isReferred = async (tx: Tx, tenant: TenantId, { scanId, freezeNumber }: FreezeKey): Promise<boolean> => {
  const found = await tx.get(
    reference,
    sql`/* scanner.freezes.isReferred */
    select exists (select from scanner.score_replays
        where tenant = ${tenant} and scan_id = ${scanId} and freeze_number = ${freezeNumber})
      or exists (select from scanner.proof_bundles
        where tenant = ${tenant} and scan_id = ${scanId} and freeze_number = ${freezeNumber}) as is_referred`,
  );
  return found.isReferred;
};

/** Copies the findings of the newest freeze, before the next one replaces them. */
export const copyFindings = (tx: Tx, tenant: TenantId, { scanId, freezeNumber }: FreezeKey): Promise<number> =>
  tx.run(sql`/* scanner.frozen_findings.copy */
    insert into scanner.frozen_findings (tenant, scan_id, freeze_number, findings)
    select ${tenant}, ${scanId}, ${freezeNumber}::integer, coalesce(jsonb_agg(finding order by finding_id), '[]')
    from scanner.findings where tenant = ${tenant} and scan_id = ${scanId}`);

/** Deletes the manifest of a freeze. */
export const removeManifest = (tx: Tx, tenant: TenantId, { scanId, freezeNumber }: FreezeKey): Promise<number> =>
  tx.run(sql`/* scanner.manifests.removeReplaced */
    delete from scanner.manifests
    where tenant = ${tenant} and scan_id = ${scanId} and freeze_number = ${freezeNumber}`);
