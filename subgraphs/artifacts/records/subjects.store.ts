import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { id, oneOf, type RowOf, table, text } from '@landfall/kernel/db/table';
import type { Subject } from '../content/subject.ts';
import type { ArtifactId } from '../shared/identity.ts';

/** Verdicts on the signature of an artifact: a trusted signer, nobody trusted, or a signature that does not hold. */
/** Verdicts on the signature of evidence. */
export const VERDICTS = ['verified', 'unverified', 'invalid'] as const;

const subjects = table('evidence.artifact_subjects', {
  artifactId: id('Artifact'),
  digestAlg: text,
  digest: text,
  predicateType: text,
  verdict: oneOf(...VERDICTS),
  signer: text.nullable(),
});

export type ArtifactSubject = RowOf<typeof subjects>;

/** Inserts the subjects that the content of a new artifact states, not yet judged. */
export const insertOf = async (
  tx: Tx,
  tenant: TenantId,
  artifactId: ArtifactId,
  stated: readonly Subject[],
): Promise<void> => {
  await subjects.insertAll(
    tx,
    tenant,
    stated.map(({ algorithm, digest, predicateType }) => ({
      artifactId,
      digestAlg: algorithm,
      digest,
      predicateType,
      verdict: 'unverified' as const,
      signer: null,
    })),
  );
};

/** Replaces the subjects of an artifact that is there again, as `insertOf`. */
export const replace = async (...[tx, tenant, artifactId, stated]: Parameters<typeof insertOf>): Promise<void> => {
  await subjects.removeWhere(tx, 'removeOf', sql`tenant = ${tenant} and artifact_id = ${artifactId}`);
  await insertOf(tx, tenant, artifactId, stated);
};

/** Adds images that an artifact is about, as the platform knows; those that its content states stay. */
export const insertImages = async (
  tx: Tx,
  tenant: TenantId,
  artifactId: ArtifactId,
  images: readonly string[],
): Promise<void> => {
  if (images.length === 0) return;
  await tx.run(sql`/* evidence.artifact_subjects.insertImages */
    insert into evidence.artifact_subjects (tenant, artifact_id, digest_alg, digest, predicate_type, verdict)
    select ${tenant}, ${artifactId}, 'sha256', digest, '', 'unverified'
    from unnest(${images.map((image) => image.slice('sha256:'.length))}::text[]) as given (digest)
    on conflict do nothing`);
};

/** Subjects of some artifacts, in one order. */
export const listByArtifacts = (
  query: Query,
  tenant: TenantId,
  artifactIds: readonly ArtifactId[],
): Promise<ArtifactSubject[]> =>
  subjects.listWhere(
    query,
    'listByArtifacts',
    sql`tenant = ${tenant} and artifact_id = any(${artifactIds}::uuid[])
      order by artifact_id, digest_alg, digest, predicate_type`,
  );
