import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { id, integer, oneOf, type RowOf, table, uuid } from '@landfall/kernel/db/table';
import type { ArtifactId } from '../shared/identity.ts';

/** Kinds of things that an artifact is evidence of. */
export const REFERENCE_KINDS = ['Release', 'Deployment', 'Scan'] as const;

export type ReferenceKind = (typeof REFERENCE_KINDS)[number];

interface Reference {
  readonly kind: ReferenceKind;
  readonly id: string;
}

/** Notes the things that an artifact is evidence of; those that are noted already stay. */
export const insertAll = async (
  tx: Tx,
  tenant: TenantId,
  artifactId: string,
  references: readonly Reference[],
): Promise<void> => {
  if (references.length === 0) return;
  await tx.run(sql`/* evidence.artifact_references.insertAll */
    insert into evidence.artifact_references (tenant, artifact_id, kind, entity_id)
    select ${tenant}, ${artifactId}, given.kind, given.id
    from unnest(${references.map(({ kind }) => kind)}::text[], ${references.map(({ id }) => id)}::uuid[]) as given (kind, id)
    on conflict do nothing`);
};

const references = table('evidence.artifact_references', {
  artifactId: id('Artifact'),
  kind: oneOf(...REFERENCE_KINDS),
  entityId: uuid,
  /** Number of all references of the artifact. */
  total: integer,
});

/** Thing that an artifact is evidence of. */
export type ArtifactReference = RowOf<typeof references>;

/** First things that each of some artifacts is evidence of, the newest first. */
export const listByArtifacts = (
  query: Query,
  tenant: TenantId,
  artifactIds: readonly ArtifactId[],
  first: number,
): Promise<ArtifactReference[]> =>
  query.list(
    references,
    sql`/* evidence.artifact_references.listByArtifacts */
    select wanted.artifact_id, r.kind, r.entity_id, c.total from unnest(${artifactIds}::uuid[]) as wanted (artifact_id)
    cross join lateral (select count(*)::integer as total from evidence.artifact_references
      where tenant = ${tenant} and artifact_id = wanted.artifact_id) c
    cross join lateral (select kind, entity_id from evidence.artifact_references
      where tenant = ${tenant} and artifact_id = wanted.artifact_id order by entity_id desc limit ${first}) r
    order by wanted.artifact_id, r.entity_id desc`,
  );
