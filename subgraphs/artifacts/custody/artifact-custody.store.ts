import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { boolean, count, id, instant, integer, type RowOf, table, text, textArray } from '@landfall/kernel/db/table';
import type { ArtifactId } from '../shared/identity.ts';

const columns = {
  artifactId: id('Artifact'),
  storageKey: text,
  bomRef: text,
  serialNumber: text,
  sha256: text,
  sizeBytes: count,
  createdAt: instant,
  retainUntil: instant.nullable(),
  isDeleted: boolean,
  version: integer,
} as const;

const artifacts = table('evidence.artifact_index.custody', columns, {
  noun: 'artifact',
  key: 'artifactId',
  writes: { deletedAt: instant.nullable(), deletedBy: text.nullable() },
});

type ArtifactCustody = RowOf<typeof artifacts>;

export const { getLocked, update, remove } = artifacts;

const candidates = table('evidence.artifact_index ended', {
  ...columns,
  retainedUntil: instant,
  isHeld: boolean,
  /** Kinds of things that it is evidence of. */
  referenceKinds: textArray,
  bundles: count,
  /** SHA-256 digests that it is about. */
  digests: textArray,
  /** Whether it is about more digests than are listed. */
  isCut: boolean,
});

/** Artifact whose retention has ended, with everything that may keep it. */
export type Candidate = RowOf<typeof candidates>;

/** Artifacts whose retention has ended, the oldest end first, with everything that may keep them. */
export const listEnded = (
  query: Query,
  tenant: TenantId,
  {
    retentionDays,
    limit,
    ids,
    after,
  }: {
    readonly retentionDays: number;
    readonly limit: number;
    readonly ids?: readonly string[];
    /** Last artifact of the previous page. */
    readonly after?: Pick<Candidate, 'retainedUntil' | 'artifactId'> | undefined;
  },
): Promise<Candidate[]> =>
  query.list(
    candidates,
    sql`/* evidence.artifact_index.listEnded */
    select a.artifact_id, a.storage_key, a.bom_ref, a.serial_number, a.sha256, a.size_bytes, a.created_at, a.retain_until,
      a.is_deleted, a.version, ended.at as retained_until,
      exists (select from evidence.holds h
        where h.tenant = a.tenant and h.artifact_id = a.artifact_id and h.ended_at is null) as is_held,
      array(select distinct r.kind from evidence.artifact_references r
        where r.tenant = a.tenant and r.artifact_id = a.artifact_id order by 1) as reference_kinds,
      (select count(*) from evidence.bundle_artifacts b
        where b.tenant = a.tenant and b.artifact_id = a.artifact_id) as bundles,
      array(select distinct 'sha256:' || s.digest from evidence.artifact_subjects s
        where s.tenant = a.tenant and s.artifact_id = a.artifact_id and s.digest_alg = 'sha256') as digests,
      -- A note beside subjects: the list of them was cut.
      a.content_note is not null and exists (select from evidence.artifact_subjects s
        where s.tenant = a.tenant and s.artifact_id = a.artifact_id) as is_cut
    from evidence.artifact_index a
    cross join lateral (select coalesce(a.retain_until, a.created_at + make_interval(days => ${retentionDays}::integer)) as at) ended
    where a.tenant = ${tenant} and ended.at <= kernel.now()
      and (${ids ?? null}::uuid[] is null or a.artifact_id = any(${ids ?? null}::uuid[]))
      and (${after?.artifactId ?? null}::uuid is null
        or (ended.at, a.artifact_id) > (${after?.retainedUntil ?? null}::timestamptz, ${after?.artifactId ?? null}::uuid))
    order by ended.at, a.artifact_id limit ${limit}`,
  );

/** Locks the rows of some artifacts until the transaction ends. */
export const lockAll = (tx: Tx, tenant: TenantId, ids: readonly ArtifactId[]): Promise<ArtifactCustody[]> =>
  artifacts.listWhere(
    tx,
    'lockAll',
    sql`tenant = ${tenant} and artifact_id = any(${ids}::uuid[]) order by artifact_id for update`,
  );
