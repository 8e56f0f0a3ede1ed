import type { TenantId } from '@landfall/kernel/core/ids';
import { digestColumn } from '@landfall/kernel/crypto/digest-column';
import { boolean, count, id, instant, integer, oneOf, text, uuid } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { empty, join, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { ARTIFACT_TYPES, type ArtifactType } from '../shared/artifact-type.ts';
import type { ArtifactId } from '../shared/identity.ts';
import type { ReferenceKind } from './references.store.ts';
import { VERDICTS } from './subjects.store.ts';

const columns = {
  artifactId: id('Artifact'),
  artifactType: oneOf(...ARTIFACT_TYPES),
  storageKey: text,
  bomRef: text,
  serialNumber: text,
  sha256: digestColumn,
  sizeBytes: count,
  contentType: text,
  contentNote: text.nullable(),
  /** Form of the signature in the content. */
  signature: oneOf('bundle', 'envelope').nullable(),
  verdict: oneOf(...VERDICTS).nullable(),
  signer: text.nullable(),
  createdBy: text,
  createdAt: instant,
  /** Time of the last complete reading of its bytes. */
  checkedAt: instant,
  /** Time at which its bytes were found changed or gone. */
  corruptAt: instant.nullable(),
  retainUntil: instant.nullable(),
  isDeleted: boolean,
  version: integer,
} as const;

const artifacts = table('evidence.artifact_index', columns, {
  noun: 'artifact',
  key: 'artifactId',
  live: sql`not is_deleted`,
});

export type Artifact = RowOf<typeof artifacts>;

/** Artifact with the number of all artifacts that are evidence of the same thing. */
const referenced = table('evidence.artifact_index referenced', { entityId: uuid, ...columns, total: integer });

export const { find, get, listByIds } = artifacts;

const places = table('evidence.artifact_index place', {
  /** Null, as the next three, where there is no row. */
  storageKey: text.nullable(),
  corruptAt: instant.nullable(),
  isDeleted: boolean.nullable(),
  /** Administrator who deleted it. */
  deletedBy: text.nullable(),
  /** Whether its object is being moved away. */
  isMoving: boolean,
  /** Mark of the moves of its object: 0 if it was never moved away, or long ago. */
  mark: integer,
});

/** Facts about an artifact, deleted or not, that a put depends on. */
export const getPlace = (query: Query, tenant: TenantId, artifactId: ArtifactId): Promise<RowOf<typeof places>> =>
  query.get(
    places,
    sql`/* evidence.artifact_index.getPlace */
    select a.storage_key, a.corrupt_at, a.is_deleted, a.deleted_by, coalesce(m.is_moving, false) as is_moving,
      coalesce(m.mark, 0) as mark
    from (values (${artifactId}::uuid)) as wanted (artifact_id)
    left join evidence.artifact_index a on a.tenant = ${tenant} and a.artifact_id = wanted.artifact_id
    left join evidence.object_moves m on m.artifact_id = wanted.artifact_id`,
  );

/** Artifact as it is put. */
type NewArtifact = Omit<
  Artifact,
  'verdict' | 'signer' | 'createdAt' | 'checkedAt' | 'corruptAt' | 'retainUntil' | 'isDeleted' | 'version'
> & {
  /** Whether the type is the sender's word, since the form of the content is not known. */
  readonly isTypeGiven: boolean;
};

/** Inserts an artifact, brings a deleted one back or makes a corrupt one whole; undefined if it is there already. */
export const insertOrRestore = (
  tx: Tx,
  tenant: TenantId,
  row: NewArtifact,
  {
    retentionDays,
    isHealed,
    mayRestore,
  }: {
    readonly retentionDays: number;
    /** Whether its object was gone and is there again: a check of the old bytes must not mark the new ones. */
    readonly isHealed: boolean;
    /** Whether a deleted artifact comes back. */
    readonly mayRestore: boolean;
  },
): Promise<Artifact | undefined> =>
  tx.find(
    artifacts,
    sql`/* evidence.artifact_index.insertOrRestore */
    insert into evidence.artifact_index as known (tenant, artifact_id, artifact_type, storage_key, bom_ref, serial_number,
      sha256, size_bytes, content_type, content_note, signature, is_type_given, created_by, retain_until)
    values (${tenant}, ${row.artifactId}, ${row.artifactType}, ${row.storageKey}, ${row.bomRef}, ${row.serialNumber},
      ${row.sha256}, ${row.sizeBytes}, ${row.contentType}, ${row.contentNote},
      ${row.signature}, ${row.isTypeGiven}, ${row.createdBy}, kernel.now() + make_interval(days => ${retentionDays}::integer))
    on conflict (tenant, artifact_id) do update set is_deleted = false, storage_key = excluded.storage_key,
      protection_due_at = kernel.now(), protection_mark = known.protection_mark + 1,
      corrupt_at = null, quarantined_at = null, unreadable_at = null, checked_at = kernel.now(),
      judgement_due = true, judgement_mark = known.judgement_mark + 1, verdict = null, signer = null, deleted_at = null, deleted_by = null, version = known.version + 1,
      retain_until = greatest(known.retain_until, excluded.retain_until)
    where case when known.is_deleted then ${mayRestore}::boolean else known.corrupt_at is not null or ${isHealed}::boolean end
    returning ${artifacts.columns}`,
  );

/**
 * Puts an artifact first in the line of the scrubber, which reads its bytes again and marks what it finds. Each doubt is
 * another time, so that no check that began before it ends it.
 */
export const doubt = (tx: Tx, tenant: TenantId, artifactId: string): Promise<number> =>
  tx.run(sql`/* evidence.artifact_index.doubt */
    update evidence.artifact_index set checked_at = least(checked_at, 'epoch') - interval '1 millisecond', unreadable_at = null
    where tenant = ${tenant} and artifact_id = ${artifactId} and corrupt_at is null`);

/** Conditions of a list; all of them hold. */
export interface ArtifactFilter {
  readonly bomRef?: string | undefined;
  readonly serialNumber?: string | undefined;
  readonly type?: ArtifactType | undefined;
  /** Inclusive. */
  readonly from?: string | undefined;
  /** Exclusive. */
  readonly to?: string | undefined;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly subjectDigest?: string | undefined;
  readonly verdict?: (typeof VERDICTS)[number] | undefined;
}

/** Last artifact of the previous page. */
export interface Position {
  readonly createdAt: string;
  readonly artifactId: ArtifactId;
}

/** Artifacts that are not deleted, newest first. */
export const list = (
  query: Query,
  tenant: TenantId,
  filter: ArtifactFilter,
  { after, limit }: { readonly after: Position | undefined; readonly limit: number },
): Promise<Artifact[]> => {
  const { bomRef, serialNumber, type, verdict, from, to, subjectDigest } = filter;
  const conditions = [
    bomRef === undefined ? empty : sql` and bom_ref = ${bomRef}`,
    serialNumber === undefined ? empty : sql` and serial_number = ${serialNumber}`,
    type === undefined ? empty : sql` and artifact_type = ${type}`,
    verdict === undefined ? empty : sql` and verdict = ${verdict}`,
    from === undefined ? empty : sql` and created_at >= ${from}::timestamptz`,
    to === undefined ? empty : sql` and created_at < ${to}::timestamptz`,
    // An array, so that the index of digests leads: few artifacts are about one digest.
    subjectDigest === undefined
      ? empty
      : sql` and artifact_id = any(array(select artifact_id from evidence.artifact_subjects
          where tenant = ${tenant} and digest = ${subjectDigest.slice('sha256:'.length)} and digest_alg = 'sha256'))`,
    after === undefined
      ? empty
      : sql` and (created_at, artifact_id) < (${after.createdAt}::timestamptz, ${after.artifactId}::uuid)`,
  ];
  return artifacts.listWhere(
    query,
    'list',
    sql`tenant = ${tenant} and not is_deleted${join(conditions, '')}
      order by created_at desc, artifact_id desc limit ${limit}`,
  );
};

const REFERENCED = sql`evidence.artifact_references r
      join evidence.artifact_index a on a.tenant = r.tenant and a.artifact_id = r.artifact_id and not a.is_deleted`;

/** First artifacts that are evidence of each of some things of the platform, the newest first. */
export const listByReferences = (
  query: Query,
  tenant: TenantId,
  kind: ReferenceKind,
  { ids, first }: { readonly ids: readonly string[]; readonly first: number },
): Promise<RowOf<typeof referenced>[]> =>
  query.list(
    referenced,
    sql`/* evidence.artifact_index.listByReferences */
    select wanted.entity_id, ${artifacts.of('f')}, c.total from unnest(${ids}::uuid[]) as wanted (entity_id)
    cross join lateral (select count(*)::integer as total from ${REFERENCED}
      where r.tenant = ${tenant} and r.kind = ${kind} and r.entity_id = wanted.entity_id) c
    cross join lateral (select a.* from ${REFERENCED}
      where r.tenant = ${tenant} and r.kind = ${kind} and r.entity_id = wanted.entity_id
      order by a.created_at desc, a.artifact_id desc limit ${first}) f
    order by wanted.entity_id, f.created_at desc, f.artifact_id desc`,
  );
