import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { fromNow, sql } from '@landfall/kernel/db/sql';
import { count, id, integer, type RowOf, table, tenantId, text, uuid } from '@landfall/kernel/db/table';
import type { ArtifactId } from '../shared/identity.ts';

const due = table('evidence.artifact_index due', {
  tenant: tenantId,
  artifactId: id('Artifact'),
  storageKey: text,
  sha256: text,
  sizeBytes: count,
  version: integer,
});

export type DueArtifact = RowOf<typeof due>;

/** Pause before bytes that could not be read are tried again. */
const UNREADABLE_MS = 86_400_000;

/** Artifacts whose bytes were not read since a time, the oldest check first. Role `landfall_system`. */
export const listDue = (query: Query, olderThanMs: number, limit: number): Promise<DueArtifact[]> =>
  query.list(
    due,
    sql`/* evidence.artifact_index.listDueForScrub */
    select tenant, artifact_id, storage_key, sha256, size_bytes, version from evidence.artifact_index
    where not is_deleted and corrupt_at is null and checked_at < ${fromNow(-olderThanMs)}
      and (unreadable_at is null or unreadable_at < ${fromNow(-UNREADABLE_MS)})
    order by checked_at limit ${limit}`,
  );

export const setChecked = (tx: Tx, tenant: TenantId, artifactId: ArtifactId): Promise<number> =>
  tx.run(sql`/* evidence.artifact_index.setChecked */
    update evidence.artifact_index set checked_at = kernel.now(), unreadable_at = null where tenant = ${tenant} and artifact_id = ${artifactId}`);

const versions = table('evidence.artifact_index corrupted', { version: integer });

/** Artifact as it was read: another version of it may have other bytes. */
type ReadVersion = Pick<DueArtifact, 'tenant' | 'artifactId' | 'version'>;

/** Marks an artifact corrupt; undefined if it changed since it was read, is marked already, or deleted. */
export const setCorrupt = (tx: Tx, { tenant, artifactId, version }: ReadVersion) =>
  tx.find(
    versions,
    sql`/* evidence.artifact_index.setCorrupt */
    update evidence.artifact_index set corrupt_at = kernel.now(), checked_at = kernel.now(), quarantined_at = null,
      version = version + 1
    where tenant = ${tenant} and artifact_id = ${artifactId} and version = ${version}
      and corrupt_at is null and not is_deleted
    returning version`,
  );

/** Marks an artifact whose bytes cannot be read, for the first time or again. @returns its version */
export const setUnreadable = (tx: Tx, { tenant, artifactId, version }: ReadVersion) =>
  tx.find(
    versions,
    sql`/* evidence.artifact_index.setUnreadable */
    update evidence.artifact_index set unreadable_at = kernel.now(), version = version + 1
    where tenant = ${tenant} and artifact_id = ${artifactId} and version = ${version} and not is_deleted
    returning version`,
  );

const unmoved = table('evidence.artifact_index unmoved', {
  tenant: tenantId,
  artifactId: id('Artifact'),
  storageKey: text,
});

type UnmovedArtifact = RowOf<typeof unmoved>;

/** Corrupt artifacts whose objects are to be moved away. Role `landfall_system`. */
export const listUnmoved = (query: Query, limit: number): Promise<UnmovedArtifact[]> =>
  query.list(
    unmoved,
    sql`/* evidence.artifact_index.listUnmoved */
    select tenant, artifact_id, storage_key from evidence.artifact_index
    where corrupt_at is not null and quarantined_at is null order by tenant, artifact_id limit ${limit}`,
  );

/** Corrupt artifact whose object is still to be moved away; undefined if it is whole again, or was moved. */
export const findUnmoved = (query: Query, { tenant, artifactId }: UnmovedArtifact) =>
  query.find(
    unmoved,
    sql`/* evidence.artifact_index.findUnmoved */
    select tenant, artifact_id, storage_key from evidence.artifact_index
    where tenant = ${tenant} and artifact_id = ${artifactId} and corrupt_at is not null and quarantined_at is null`,
  );

/** Notes that the object of a corrupt artifact is moved away. */
export const setQuarantined = (tx: Tx, { tenant, artifactId }: UnmovedArtifact): Promise<number> =>
  tx.run(sql`/* evidence.artifact_index.setQuarantined */
    update evidence.artifact_index set quarantined_at = kernel.now()
    where tenant = ${tenant} and artifact_id = ${artifactId} and corrupt_at is not null and quarantined_at is null`);

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

const artifactIds = table('evidence.disposals artifacts', { artifactId: id('Artifact') });

/** Artifacts among these that were disposed of. Role `landfall_system`. */
export const listDisposed = async (query: Query, ids: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set(
    (
      await query.list(
        artifactIds,
        sql`/* evidence.disposals.listDisposed */
        select distinct artifact_id from evidence.disposals where artifact_id = any(${ids}::uuid[])`,
      )
    ).map(({ artifactId }) => artifactId),
  );

const identities = table('evidence.store_identity', { id: uuid });

/** Identity of this database. Role `landfall_system`. */
export const getIdentity = (query: Query) =>
  query.get(identities, sql`/* evidence.store_identity.get */ select id from evidence.store_identity`);
