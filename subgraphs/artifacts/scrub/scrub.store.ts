import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { fromNow, sql } from '@landfall/kernel/db/sql';
import { count, id, integer, type RowOf, table, tenantId, text } from '@landfall/kernel/db/table';
import type { ArtifactId } from '../shared/identity.ts';

const due = table('evidence.artifact_index due', {
  tenant: tenantId,
  artifactId: id('Artifact'),
  storageKey: text,
  sha256: text,
  sizeBytes: count,
});

export type DueArtifact = RowOf<typeof due>;

/** Artifacts whose bytes were not read since a time, the oldest check first. Role `landfall_system`. */
export const listDue = (query: Query, olderThanMs: number, limit: number): Promise<DueArtifact[]> =>
  query.list(
    due,
    sql`/* evidence.artifact_index.listDueForScrub */
    select tenant, artifact_id, storage_key, sha256, size_bytes from evidence.artifact_index
    where not is_deleted and corrupt_at is null and checked_at < ${fromNow(-olderThanMs)}
    order by checked_at limit ${limit}`,
  );

export const setChecked = (tx: Tx, tenant: TenantId, artifactId: ArtifactId): Promise<number> =>
  tx.run(sql`/* evidence.artifact_index.setChecked */
    update evidence.artifact_index set checked_at = kernel.now() where tenant = ${tenant} and artifact_id = ${artifactId}`);

const versions = table('evidence.artifact_index corrupted', { version: integer });

/** Marks an artifact corrupt; undefined if it is marked already, or deleted. */
export const setCorrupt = (tx: Tx, tenant: TenantId, artifactId: ArtifactId) =>
  tx.find(
    versions,
    sql`/* evidence.artifact_index.setCorrupt */
    update evidence.artifact_index set corrupt_at = kernel.now(), checked_at = kernel.now(), version = version + 1
    where tenant = ${tenant} and artifact_id = ${artifactId} and corrupt_at is null and not is_deleted
    returning version`,
  );

const keys = table('evidence.artifact_index keys', { storageKey: text });

/** Keys among these that a row has. Role `landfall_system`. */
export const listIndexed = async (query: Query, storageKeys: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set(
    (
      await query.list(
        keys,
        sql`/* evidence.artifact_index.listIndexedKeys */
        select distinct storage_key from evidence.artifact_index where storage_key = any(${storageKeys}::text[])`,
      )
    ).map(({ storageKey }) => storageKey),
  );
