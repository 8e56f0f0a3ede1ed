import { digestColumn } from '@landfall/kernel/crypto/digest-column';
import { boolean, count, id, integer, tenantId, text, uuid } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { fromNow, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { ArtifactId } from '../shared/identity.ts';

const due = table('evidence.artifact_index due', {
  tenant: tenantId,
  artifactId: id('Artifact'),
  storageKey: text,
  sha256: digestColumn,
  sizeBytes: count,
  version: integer,
  /** Time of the last check, to the microsecond. */
  checkedAt: text,
});

export type DueArtifact = RowOf<typeof due>;

/** Pause before bytes that could not be read are tried again. */
const UNREADABLE_MS = 86_400_000;

/** Artifacts whose bytes were not read since a time, the oldest check first. Role `landfall_system`. */
export const listDue = (query: Query, olderThanMs: number, limit: number): Promise<DueArtifact[]> =>
  query.list(
    due,
    sql`/* evidence.artifact_index.listDueForScrub */
    select tenant, artifact_id, storage_key, sha256, size_bytes, version, checked_at::text as checked_at
    from evidence.artifact_index where not is_deleted and corrupt_at is null and checked_at < ${fromNow(-olderThanMs)}
      and (unreadable_at is null or unreadable_at < ${fromNow(-UNREADABLE_MS)})
    order by evidence.artifact_index.checked_at limit ${limit}`,
  );

/** Notes that the bytes of an artifact are whole, unless it was checked, put or doubted since it was listed. */
export const setChecked = (tx: Tx, { tenant, artifactId, checkedAt }: DueArtifact): Promise<number> =>
  tx.run(sql`/* evidence.artifact_index.setChecked */
    update evidence.artifact_index set checked_at = kernel.now(), unreadable_at = null
    where tenant = ${tenant} and artifact_id = ${artifactId} and checked_at = ${checkedAt}::text::timestamptz`);

const versions = table('evidence.artifact_index marked', { version: integer });

/** Finding about the bytes of an artifact. */
export type Mark = 'corrupt' | 'unreadable';

const CORRUPT = sql`corrupt_at = kernel.now(), checked_at = kernel.now(), quarantined_at = null`;

/**
 * Marks an artifact as it was read: another version of it may have other bytes.
 * @returns its version; undefined if it changed since, is marked corrupt already, or deleted
 */
export const mark = (tx: Tx, { tenant, artifactId, version }: DueArtifact, found: Mark) =>
  tx.find(
    versions,
    sql`/* evidence.artifact_index.mark */
    update evidence.artifact_index set ${found === 'corrupt' ? CORRUPT : sql`unreadable_at = kernel.now()`},
      version = version + 1
    where tenant = ${tenant} and artifact_id = ${artifactId} and version = ${version}
      and corrupt_at is null and not is_deleted
    returning version`,
  );

const unmoved = table('evidence.artifact_index unmoved', {
  tenant: tenantId,
  artifactId: id('Artifact'),
  storageKey: text,
});

type UnmovedArtifact = RowOf<typeof unmoved>;

const UNMOVED = sql`corrupt_at is not null and quarantined_at is null`;

/** Corrupt artifacts whose objects are to be moved away. Role `landfall_system`. */
export const listUnmoved = (query: Query, limit: number): Promise<UnmovedArtifact[]> =>
  unmoved.listWhere(query, 'listUnmoved', sql`${UNMOVED} order by tenant, artifact_id limit ${limit}`);

/** Whether the object of a corrupt artifact is still to be moved away: it is not whole again, nor was it moved. */
export const isUnmoved = (query: Query, { tenant, artifactId }: UnmovedArtifact): Promise<boolean> =>
  unmoved.existsWhere(query, 'isUnmoved', sql`tenant = ${tenant} and artifact_id = ${artifactId} and ${UNMOVED}`);

/** Notes that the object of a corrupt artifact is moved away. */
export const setQuarantined = (tx: Tx, { tenant, artifactId }: UnmovedArtifact): Promise<number> =>
  tx.run(sql`/* evidence.artifact_index.setQuarantined */
    update evidence.artifact_index set quarantined_at = kernel.now()
    where tenant = ${tenant} and artifact_id = ${artifactId} and ${UNMOVED}`);

const unindexed = table('evidence.artifact_index unindexed', {
  storageKey: text,
  artifactId: id('Artifact'),
  /** Whether its artifact was disposed of. */
  isDisposed: boolean,
});

export type UnindexedObject = RowOf<typeof unindexed>;

/** Objects among these that no row has, in their order. Role `landfall_system`. */
export const listUnindexed = (
  query: Query,
  objects: readonly { readonly key: string; readonly artifactId: ArtifactId }[],
): Promise<UnindexedObject[]> =>
  query.list(
    unindexed,
    sql`/* evidence.artifact_index.listUnindexedObjects */
    select given.key as storage_key, given.id as artifact_id,
      exists (select from evidence.disposals d where d.artifact_id = given.id) as is_disposed
    from unnest(${objects.map(({ key }) => key)}::text[], ${objects.map(({ artifactId }) => artifactId)}::uuid[])
      with ordinality as given (key, id, number)
    where not exists (select from evidence.artifact_index a where a.storage_key = given.key) order by given.number`,
  );

/** Whether a row has the object of a key. Role `landfall_system`. */
export const isIndexed = (query: Query, storageKey: string): Promise<boolean> =>
  unmoved.existsWhere(query, 'isIndexed', sql`storage_key = ${storageKey}`);

const disposed = table('evidence.disposed_objects', { storageKey: text, artifactId: id('Artifact') });

/** Objects of artifacts that were disposed of. Role `landfall_system`. */
export const listDisposed = (query: Query, limit: number): Promise<RowOf<typeof disposed>[]> =>
  disposed.listWhere(query, 'list', sql`true order by tenant, storage_key limit ${limit}`);

/** Forgets a disposed object, which is being discarded or has a row again. Role `landfall_system`. */
export const removeDisposed = (tx: Tx, storageKey: string): Promise<number> =>
  disposed.removeWhere(tx, 'remove', sql`storage_key = ${storageKey}`);

const identities = table('evidence.store_identity', { id: uuid });

/** Identity of this database. Role `landfall_system`. */
export const getIdentity = (query: Query) =>
  query.get(identities, sql`/* evidence.store_identity.get */ select id from evidence.store_identity`);
