import type { TenantId } from '@landfall/kernel/core/ids';
import { id, integer, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
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

/** Notes digests that an artifact is about, not yet judged; those that are noted already stay: its content never changes. */
export const insertAll = (
  tx: Tx,
  tenant: TenantId,
  artifactId: ArtifactId,
  stated: readonly Subject[],
): Promise<number> =>
  subjects.insertAllIfAbsent(
    tx,
    tenant,
    stated.map(({ algorithm: digestAlg, ...subject }) => ({
      artifactId,
      digestAlg,
      ...subject,
      verdict: 'unverified',
    })),
  );

/** Takes back the judgement of an artifact that is there again. */
export const resetVerdicts = (tx: Tx, tenant: TenantId, artifactId: ArtifactId): Promise<number> =>
  tx.run(sql`/* evidence.artifact_subjects.resetVerdicts */
    update evidence.artifact_subjects set verdict = 'unverified', signer = null
    where tenant = ${tenant} and artifact_id = ${artifactId} and verdict <> 'unverified'`);

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
