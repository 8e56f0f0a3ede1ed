import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';

export type ReferenceKind = 'Release' | 'Deployment' | 'Scan';

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
