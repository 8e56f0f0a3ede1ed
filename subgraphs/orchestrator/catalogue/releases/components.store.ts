import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Digest } from '@landfall/kernel/crypto/digest';
import { id, json, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { ImageLabels } from '@landfall/kernel/oci/image-labels';
import Type from 'typebox';

const components = table('orchestrator.release_components', {
  releaseId: id('Release'),
  name: text,
  repository: text,
  requestedTag: text.nullable(),
  digest: text.nullable(),
  mediaType: text.nullable(),
  dependsOn: textArray,
  /** Labels of the image when it was finalized: address of its source, revision of it, and version. */
  source: text.nullable(),
  revision: text.nullable(),
  imageVersion: text.nullable(),
  platforms: json(Type.Array(Type.Object({ platform: Type.String(), digest: Type.String() }))),
});

/**
 * One image of a release. `digest` is the declared one until finalize, and the resolved and verified one from then on.
 */
export type Component = RowOf<typeof components>;

export interface ComponentSpec {
  readonly name: string;
  readonly repository: string;
  readonly requestedTag: string | null;
  readonly digest: string | null;
  readonly dependsOn: readonly string[];
}

export interface PlatformDigest {
  /** Platform, `os/architecture` or `os/architecture/variant`. */
  readonly platform: string;
  readonly digest: Digest;
}

export interface Resolution {
  readonly digest: Digest;
  readonly mediaType: string;
  /** Platform manifests of an image index; empty for a single manifest. */
  readonly platforms: readonly PlatformDigest[];
  readonly labels: ImageLabels;
}

/** Lists the components of these releases, by name. */
export const listOf = (query: Query, tenant: TenantId, releases: readonly Id<'Release'>[]) =>
  query.list(
    components,
    sql`/* orchestrator.release_components.listOf */
    select c.release_id, c.name, c.repository, c.requested_tag, c.digest, c.media_type, c.depends_on,
      c.source, c.revision, c.image_version,
      coalesce((
        select jsonb_agg(jsonb_build_object('platform', p.platform, 'digest', p.digest) order by p.platform)
        from orchestrator.component_platforms p
        where p.tenant = c.tenant and p.release_id = c.release_id and p.component = c.name), '[]') as platforms
    from orchestrator.release_components c
    where c.tenant = ${tenant} and c.release_id = any(${releases}::uuid[])
    order by c.name`,
  );

export const insert = (tx: Tx, tenant: TenantId, release: Id<'Release'>, values: ComponentSpec) =>
  tx.run(sql`/* orchestrator.release_components.insert */
    insert into orchestrator.release_components
      (tenant, release_id, name, repository, requested_tag, digest, depends_on)
    values (${tenant}, ${release}, ${values.name}, ${values.repository}, ${values.requestedTag}, ${values.digest},
      ${values.dependsOn})`);

export const update = (tx: Tx, tenant: TenantId, release: Id<'Release'>, values: ComponentSpec) =>
  tx.run(sql`/* orchestrator.release_components.update */
    update orchestrator.release_components
    set repository = ${values.repository}, requested_tag = ${values.requestedTag}, digest = ${values.digest},
      depends_on = ${values.dependsOn}
    where tenant = ${tenant} and release_id = ${release} and name = ${values.name}`);

export const remove = (tx: Tx, tenant: TenantId, release: Id<'Release'>, name: string) =>
  components.removeWhere(tx, 'remove', sql`tenant = ${tenant} and release_id = ${release} and name = ${name}`);

/** Fixes the digest, media type, labels and platforms of a component when its release is finalized. */
export const gate = async (
  tx: Tx,
  tenant: TenantId,
  release: Id<'Release'>,
  name: string,
  { digest, mediaType, platforms, labels }: Resolution,
): Promise<void> => {
  await tx.run(sql`/* orchestrator.release_components.gate */
    update orchestrator.release_components set digest = ${digest}, media_type = ${mediaType},
      source = ${labels.source}, revision = ${labels.revision}, image_version = ${labels.version}
    where tenant = ${tenant} and release_id = ${release} and name = ${name}`);
  await tx.run(sql`/* orchestrator.component_platforms.insert */
    insert into orchestrator.component_platforms (tenant, release_id, component, platform, digest)
    select ${tenant}, ${release}, ${name}, platform, digest
    from unnest(${platforms.map(({ platform }) => platform)}::text[], ${platforms.map((p) => p.digest)}::text[])
      as given (platform, digest)`);
};
