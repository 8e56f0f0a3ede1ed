import type { TenantId } from '@landfall/kernel/core/ids';
import { count, id, instant, integer, oneOf, text, uuid } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { type Sql, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { ARTIFACT_TYPES } from '../shared/artifact-type.ts';
import type { EvidenceSubject } from '../shared/evidence-subject.ts';
import type { ArtifactId } from '../shared/identity.ts';

const columns = {
  id: id('EvidenceBundle'),
  subjectKind: oneOf('release', 'deployment').nullable(),
  subjectId: uuid.nullable(),
  artifactCount: integer,
  sizeBytes: count,
  createdBy: text,
  createdAt: instant,
} as const;

const bundles = table('evidence.bundles', columns, { noun: 'evidence bundle' });

export type EvidenceBundle = RowOf<typeof bundles>;
export type BundleId = EvidenceBundle['id'];

export const { get, listByIds, insert } = bundles;

/** Bundles of a tenant, or of one subject, the newest first. */
export const list = (
  query: Query,
  tenant: TenantId,
  subject: EvidenceSubject | undefined,
  bounds: { readonly after: string | undefined; readonly limit: number },
): Promise<EvidenceBundle[]> =>
  bundles.listPage(
    query,
    tenant,
    bounds,
    subject && sql`subject_kind = ${subject.kind} and subject_id = ${subject.id}`,
  );

/** Bundles that someone made of some releases or deployments, the newest first. */
export const listMadeBy = (
  query: Query,
  tenant: TenantId,
  kind: EvidenceSubject['kind'],
  ids: readonly string[],
  createdBy: string,
): Promise<EvidenceBundle[]> =>
  bundles.listWhere(
    query,
    'listMadeBy',
    sql`tenant = ${tenant} and subject_kind = ${kind} and subject_id = any(${ids}::uuid[])
      and created_by = ${createdBy} order by id desc`,
  );

const listing = table('evidence.bundles listing', {
  artifactId: id('Artifact'),
  /** Number of all bundles that list the artifact. */
  total: count,
  ...columns,
});

/** First bundles that list each of some artifacts, the newest first. */
export const listByArtifacts = (
  query: Query,
  tenant: TenantId,
  artifactIds: readonly ArtifactId[],
  first: number,
): Promise<RowOf<typeof listing>[]> =>
  query.list(
    listing,
    sql`/* evidence.bundles.listByArtifacts */
    select wanted.artifact_id, c.total, ${bundles.of('b')} from unnest(${artifactIds}::uuid[]) as wanted (artifact_id)
    cross join lateral (select count(distinct bundle_id) as total from evidence.bundle_artifacts
      where tenant = ${tenant} and artifact_id = wanted.artifact_id) c
    cross join lateral (select distinct bundle_id from evidence.bundle_artifacts
      where tenant = ${tenant} and artifact_id = wanted.artifact_id order by bundle_id desc limit ${first}) l
    join evidence.bundles b on b.tenant = ${tenant} and b.id = l.bundle_id
    order by wanted.artifact_id, b.id desc`,
  );

const frozen = table('evidence.bundle_artifacts', {
  path: text,
  artifactId: id('Artifact'),
  artifactType: oneOf(...ARTIFACT_TYPES),
  bomRef: text,
  serialNumber: text,
  storageKey: text,
  mediaType: text,
  sha256: text,
  sizeBytes: count,
  createdAt: instant,
});

/** Artifact of a bundle, as it was frozen. */
export type BundleArtifact = RowOf<typeof frozen>;

export const listArtifacts = (
  query: Query,
  tenant: TenantId,
  bundle: BundleId,
  { after = '', limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<BundleArtifact[]> =>
  frozen.listWhere(
    query,
    'listByBundle',
    sql`tenant = ${tenant} and bundle_id = ${bundle} and path > ${after} order by path limit ${limit}`,
  );

/** Artifacts of the index that are about one of the digests, or that the platform knows as evidence of the subject. */
export const aboutSubject = (
  tenant: TenantId,
  { kind, id: subject }: EvidenceSubject,
  digests: readonly string[],
): Sql =>
  sql`artifact_id = any(array(select artifact_id from evidence.artifact_subjects
    where tenant = ${tenant} and digest_alg = 'sha256'
      and digest = any(${digests.map((digest) => digest.slice('sha256:'.length))}::text[])
    union select artifact_id from evidence.artifact_references
    where tenant = ${tenant} and kind = ${kind === 'release' ? 'Release' : 'Deployment'} and entity_id = ${subject}::uuid))`;

export const withIds = (ids: readonly ArtifactId[]): Sql => sql`artifact_id = any(${ids}::uuid[])`;

const totals = table('evidence.artifact_index totals', { artifactCount: count, sizeBytes: count });

/** Number and size of the artifacts that a condition chooses. */
export const measure = (query: Query, tenant: TenantId, chosen: Sql) =>
  query.get(
    totals,
    sql`/* evidence.artifact_index.measure */
    select count(*) as artifact_count, coalesce(sum(size_bytes), 0)::bigint as size_bytes
    from evidence.artifact_index where tenant = ${tenant} and not is_deleted and ${chosen}`,
  );

/** Freezes the artifacts that a condition chooses, and keeps their rows until the bundle is there. Returns their number. */
export const freeze = (tx: Tx, tenant: TenantId, bundle: BundleId, chosen: Sql): Promise<number> =>
  tx.run(sql`/* evidence.bundle_artifacts.freeze */
    insert into evidence.bundle_artifacts (tenant, bundle_id, path, artifact_id, artifact_type, bom_ref, serial_number,
      storage_key, media_type, sha256, size_bytes, created_at)
    select tenant, ${bundle}, 'artifacts/' || artifact_type || '/' || artifact_id
        || case when split_part(content_type, ';', 1) ~ '^application/(.*[+])?json$' then '.json' else '.bin' end,
      artifact_id, artifact_type, bom_ref, serial_number, storage_key, content_type, sha256, size_bytes, created_at
    from evidence.artifact_index where tenant = ${tenant} and not is_deleted and ${chosen}
    for key share`);

const losses = table('evidence.bundle_artifacts losses', {
  bundleId: id('EvidenceBundle'),
  artifactId: id('Artifact'),
  artifactType: oneOf(...ARTIFACT_TYPES),
  bomRef: text,
  sha256: text,
  sizeBytes: count,
  reason: oneOf('corrupt', 'disposed'),
});

/** Artifact of a bundle that the store does not have any more as it was frozen. */
export type BundleLoss = RowOf<typeof losses>;

/** Artifacts of bundles that were lost since, by bundle and path. */
export const listLosses = (query: Query, tenant: TenantId, ids: readonly BundleId[]): Promise<BundleLoss[]> =>
  query.list(
    losses,
    sql`/* evidence.bundle_artifacts.listLosses */
    select b.bundle_id, b.artifact_id, b.artifact_type, b.bom_ref, b.sha256, b.size_bytes,
      case when a.artifact_id is null then 'disposed' else 'corrupt' end as reason
    from evidence.bundle_artifacts b
    left join evidence.artifact_index a on a.tenant = b.tenant and a.artifact_id = b.artifact_id
    where b.tenant = ${tenant} and b.bundle_id = any(${ids}::uuid[]) and (a.corrupt_at is not null
      or a.artifact_id is null and exists (select from evidence.disposals d
        where d.tenant = b.tenant and d.artifact_id = b.artifact_id))
    order by b.bundle_id, b.path`,
  );
