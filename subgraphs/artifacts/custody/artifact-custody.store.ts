import type { TenantId } from '@landfall/kernel/core/ids';
import { boolean, count, id, instant, integer, oneOf, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { type Sql, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { ARTIFACT_TYPES } from '../shared/artifact-type.ts';
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

/** Whether the artifact `a` has a hold that was not ended. */
export const IS_HELD = sql`exists (select from evidence.holds h
  where h.tenant = a.tenant and h.artifact_id = a.artifact_id and h.ended_at is null)`;

/** End of the retention of the artifact `a`. */
export const retentionEnd = (retentionDays: number): Sql =>
  sql`coalesce(a.retain_until, a.created_at + make_interval(days => ${retentionDays}::integer))`;

const candidates = table('evidence.artifact_index ended', {
  ...columns,
  artifactType: oneOf(...ARTIFACT_TYPES),
  retainedUntil: instant,
  isEnded: boolean,
  isHeld: boolean,
  /** Kinds of things that it is evidence of. */
  referenceKinds: textArray,
  bundles: count,
  /** SHA-256 digests that it is about. */
  digests: textArray,
  /** Whether it is about more digests than are listed. */
  isCut: boolean,
});

/** Artifact with everything that may keep it after its retention. */
export type Candidate = RowOf<typeof candidates>;

/** Artifacts by the end of their retention, the oldest first, with everything that may keep them: those whose retention has ended. */
export const listCandidates = (
  query: Query,
  tenant: TenantId,
  {
    retentionDays,
    limit,
    ids,
    after,
    isAny = false,
  }: {
    readonly retentionDays: number;
    readonly limit: number;
    readonly ids?: readonly string[];
    /** Whether those whose retention lasts are among them. */
    readonly isAny?: boolean;
    /** Last artifact of the previous page. */
    readonly after?: Pick<Candidate, 'retainedUntil' | 'artifactId'> | undefined;
  },
): Promise<Candidate[]> =>
  query.list(
    candidates,
    sql`/* evidence.artifact_index.listCandidates */
    select a.artifact_id, a.storage_key, a.bom_ref, a.serial_number, a.sha256, a.size_bytes, a.created_at, a.retain_until,
      a.is_deleted, a.version, a.artifact_type, ended.at as retained_until, ended.at <= kernel.now() as is_ended,
      ${IS_HELD} as is_held,
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
    cross join lateral (select ${retentionEnd(retentionDays)} as at) ended
    where a.tenant = ${tenant} and (${isAny}::boolean or ended.at <= kernel.now())
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
