import type { TenantId } from '@landfall/kernel/core/ids';
import { id, integer, oneOf, uuid } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { EvidenceDocument } from '@landfall/kernel/module';
import type { ArtifactId } from '../shared/identity.ts';

/** Kinds of things that an artifact is evidence of. */
export const REFERENCE_KINDS = ['Release', 'Deployment', 'Scan'] as const;

export type ReferenceKind = (typeof REFERENCE_KINDS)[number];

const columns = { artifactId: id('Artifact'), kind: oneOf(...REFERENCE_KINDS), entityId: uuid } as const;

const references = table('evidence.artifact_references', columns);

/** Notes the things that an artifact is evidence of; those that are noted already stay. */
export const insertAll = (
  tx: Tx,
  tenant: TenantId,
  artifactId: ArtifactId,
  things: EvidenceDocument['references'],
): Promise<number> =>
  references.insertAllIfAbsent(
    tx,
    tenant,
    things.map(({ kind, id: entityId }) => ({ artifactId, kind, entityId })),
  );

/** Reference with the number of all references of its artifact. */
const counted = table('evidence.artifact_references counted', { ...columns, total: integer });

/** Thing that an artifact is evidence of. */
export type ArtifactReference = RowOf<typeof counted>;

/** First things that each of some artifacts is evidence of, the newest first. */
export const listByArtifacts = (
  query: Query,
  tenant: TenantId,
  artifactIds: readonly ArtifactId[],
  first: number,
): Promise<ArtifactReference[]> =>
  query.list(
    counted,
    sql`/* evidence.artifact_references.listByArtifacts */
    select wanted.artifact_id, r.kind, r.entity_id, c.total from unnest(${artifactIds}::uuid[]) as wanted (artifact_id)
    cross join lateral (select count(*)::integer as total from evidence.artifact_references
      where tenant = ${tenant} and artifact_id = wanted.artifact_id) c
    cross join lateral (select kind, entity_id from evidence.artifact_references
      where tenant = ${tenant} and artifact_id = wanted.artifact_id order by entity_id desc limit ${first}) r
    order by wanted.artifact_id, r.entity_id desc`,
  );
