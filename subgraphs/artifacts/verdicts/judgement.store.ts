import type { TenantId } from '@landfall/kernel/core/ids';
import { id, integer, oneOf, tenantId } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { Verdict } from './judge.ts';

const signed = table('evidence.artifact_index signed', {
  tenant: tenantId,
  artifactId: id('Artifact'),
  signature: oneOf('bundle', 'envelope').nullable(),
  judgementMark: integer,
});

type SignedArtifact = RowOf<typeof signed>;

/** Signed artifacts that are to be judged: new ones, and all of a tenant whose trust changed. Role `landfall_system`. */
export const listDue = (query: Query, limit: number): Promise<SignedArtifact[]> =>
  query.list(
    signed,
    sql`/* evidence.artifact_index.listDueForJudgement */
    select tenant, artifact_id, signature, judgement_mark from evidence.artifact_index
    where judgement_due and signature is not null and not is_deleted
    order by tenant, artifact_id limit ${limit}`,
  );

/** Marks the signed artifacts of a tenant as to be judged again. */
export const markDue = (tx: Tx, tenant: TenantId): Promise<number> =>
  tx.run(sql`/* evidence.artifact_index.markDueForJudgement */
    update evidence.artifact_index set judgement_due = true, judgement_mark = judgement_mark + 1
    where tenant = ${tenant} and signature is not null and not is_deleted`);

/** Ends the judgement of an artifact, unless there was a further reason for one since it was listed. */
export const skip = (tx: Tx, { tenant, artifactId, judgementMark }: SignedArtifact): Promise<number> =>
  tx.run(sql`/* evidence.artifact_index.skipJudgement */
    update evidence.artifact_index set judgement_due = judgement_mark <> ${judgementMark}
    where tenant = ${tenant} and artifact_id = ${artifactId}`);

const versions = table('evidence.artifact_index judged', { version: integer });

/** Stores a verdict. @returns the artifact's new version where it is another verdict than before */
export const settle = async (
  tx: Tx,
  due: SignedArtifact,
  { verdict, signer }: Pick<Verdict, 'verdict' | 'signer'>,
): Promise<number | undefined> => {
  const { tenant, artifactId } = due;
  await skip(tx, due);
  const changed = await tx.find(
    versions,
    sql`/* evidence.artifact_index.settleJudgement */
    update evidence.artifact_index set verdict = ${verdict}, signer = ${signer}, version = version + 1
    where tenant = ${tenant} and artifact_id = ${artifactId} and (verdict, signer) is distinct from (${verdict}, ${signer})
    returning version`,
  );
  await tx.run(sql`/* evidence.artifact_subjects.setVerdict */
    update evidence.artifact_subjects set verdict = ${verdict}, signer = ${signer}
    where tenant = ${tenant} and artifact_id = ${artifactId}
      and (verdict, signer) is distinct from (${verdict}, ${signer})`);
  return changed?.version;
};
