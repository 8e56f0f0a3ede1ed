import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { id, integer, oneOf, type RowOf, table, text } from '@landfall/kernel/db/table';
import type { Subject } from '../content/subject.ts';
import type { ArtifactId } from '../shared/identity.ts';

/** Verdicts on the signature of an artifact: a trusted signer, nobody trusted, or a signature that does not hold. */
export const VERDICTS = ['verified', 'unverified', 'invalid'] as const;

const columns = {
  artifactId: id('Artifact'),
  digestAlg: text,
  digest: text,
  predicateType: text,
  verdict: oneOf(...VERDICTS),
  signer: text.nullable(),
} as const;

const subjects = table('evidence.artifact_subjects', columns);

export type ArtifactSubject = RowOf<typeof subjects>;

/** Inserts the subjects that the content of a new artifact states, not yet judged. */
export const insertOf = (
  tx: Tx,
  tenant: TenantId,
  artifactId: ArtifactId,
  stated: readonly Subject[],
): Promise<number> =>
  subjects.insertAll(
    tx,
    tenant,
    stated.map(({ algorithm: digestAlg, ...subject }) => ({
      artifactId,
      digestAlg,
      ...subject,
      verdict: 'unverified',
    })),
  );

/** Replaces the subjects of an artifact that is there again, as `insertOf`. */
export const replace = async (...[tx, tenant, artifactId, stated]: Parameters<typeof insertOf>): Promise<void> => {
  await subjects.removeWhere(tx, 'removeOf', sql`tenant = ${tenant} and artifact_id = ${artifactId}`);
  await insertOf(tx, tenant, artifactId, stated);
};

/** Adds images that an artifact is about, as the platform knows; those that its content states stay. */
export const insertImages = (
  tx: Tx,
  tenant: TenantId,
  artifactId: ArtifactId,
  images: readonly string[],
): Promise<number> =>
  subjects.insertAllIfAbsent(
    tx,
    tenant,
    images.map((image) => ({
      ...{ artifactId, digestAlg: 'sha256', digest: image.slice('sha256:'.length) },
      ...{ predicateType: '', verdict: 'unverified' },
    })),
  );

/** Subject with the number of all subjects of its artifact. */
const counted = table('evidence.artifact_subjects counted', { ...columns, total: integer });

/** First subjects of each of some artifacts, in one order. */
export const listByArtifacts = (
  query: Query,
  tenant: TenantId,
  artifactIds: readonly ArtifactId[],
  first: number,
): Promise<RowOf<typeof counted>[]> =>
  query.list(
    counted,
    sql`/* evidence.artifact_subjects.listByArtifacts */
    select ${subjects.of('s')}, c.total from unnest(${artifactIds}::uuid[]) as wanted (artifact_id)
    cross join lateral (select count(*)::integer as total from evidence.artifact_subjects
      where tenant = ${tenant} and artifact_id = wanted.artifact_id) c
    cross join lateral (select * from evidence.artifact_subjects
      where tenant = ${tenant} and artifact_id = wanted.artifact_id
      order by digest_alg, digest, predicate_type limit ${first}) s
    order by s.artifact_id, s.digest_alg, s.digest, s.predicate_type`,
  );
