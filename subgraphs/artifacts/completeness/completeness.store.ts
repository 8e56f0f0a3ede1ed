import type { TenantId } from '@landfall/kernel/core/ids';
import { id, integer, oneOf, text, uuid } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { EvidenceRequirement, ReleaseImage } from '@landfall/kernel/module';
import type { ArtifactType } from '../shared/artifact-type.ts';

/** Artifacts that are evidence of a kind: by their type, or by the type of the predicate that they state. */
const KINDS: Readonly<
  Record<
    NonNullable<EvidenceRequirement['evidence']>,
    { readonly type: ArtifactType | null; readonly predicates: string }
  >
> = {
  sbom: { type: 'Sbom', predicates: '^https://(cyclonedx[.]org/bom|spdx[.]dev/Document)' },
  vex: { type: 'Vex', predicates: '^https://(openvex[.]dev/ns|cyclonedx[.]org/vex)' },
  provenance: { type: null, predicates: '^https://slsa[.]dev/provenance/' },
  score_proof: { type: null, predicates: '/predicates/scan@v1$' },
};

const found = table('evidence.artifact_index assessed', {
  releaseId: uuid,
  component: text,
  requirement: integer,
  artifactId: id('Artifact'),
  state: oneOf('present', 'expired', 'unverified'),
});

export type FoundEvidence = RowOf<typeof found>;

/**
 * Best artifact of each requirement for each image of some releases, in one statement. Evidence of a release as a whole
 * counts for each of its images.
 */
export const listBest = (
  query: Query,
  tenant: TenantId,
  images: readonly ReleaseImage[],
  requirements: readonly EvidenceRequirement[],
): Promise<FoundEvidence[]> => {
  const kinds = requirements.map(({ evidence }) => (evidence === null ? undefined : KINDS[evidence]));
  return query.list(
    found,
    sql`/* evidence.artifact_index.assess */
    with images as (
      select * from unnest(${images.map(({ releaseId }) => releaseId)}::uuid[], ${images.map(({ component }) => component)}::text[],
        ${images.map(({ digest }) => digest.slice('sha256:'.length))}::text[]) as given (release_id, component, digest)
    ), required as (
      select * from unnest(${kinds.map((kind) => kind?.type ?? null)}::text[], ${kinds.map((kind) => kind?.predicates ?? null)}::text[],
        ${requirements.map(({ predicateType }) => predicateType)}::text[], ${requirements.map(({ signer }) => signer)}::text[],
        ${requirements.map(({ maxAgeDays }) => maxAgeDays)}::integer[])
        with ordinality as given (type, predicates, predicate, signer, max_age_days, number)
    ), about as (
      select i.release_id, i.component, s.artifact_id, s.predicate_type
      from images i join evidence.artifact_subjects s
        on s.tenant = ${tenant} and s.digest = i.digest and s.digest_alg = 'sha256'
      union
      select i.release_id, i.component, r.artifact_id, coalesce(s.predicate_type, '')
      from (select distinct release_id, component from images) i
      join evidence.artifact_references r on r.tenant = ${tenant} and r.kind = 'Release' and r.entity_id = i.release_id
      left join evidence.artifact_subjects s on s.tenant = r.tenant and s.artifact_id = r.artifact_id
    ), judged as (
      select about.release_id, about.component, r.number, a.artifact_id, a.created_at,
        case
          when a.corrupt_at is not null or r.signer is not null and a.signer is distinct from r.signer
            -- Only a document of the required form is evidence without a signature: a statement is not.
            or a.verdict is distinct from 'verified'
              and (a.signature is not null or a.is_type_given or a.artifact_type is distinct from r.type) then 'unverified'
          when a.created_at < kernel.now() - make_interval(days => r.max_age_days) then 'expired'
          else 'present'
        end as state
      from about
      join evidence.artifact_index a on a.tenant = ${tenant} and a.artifact_id = about.artifact_id and not a.is_deleted
      join required r on a.artifact_type = r.type and a.signature is null or about.predicate_type ~ r.predicates
        or about.predicate_type = r.predicate
    )
    select distinct on (release_id, component, number) release_id, component, number::integer - 1 as requirement,
      artifact_id, state
    from judged
    order by release_id, component, number, array_position(array['present', 'expired', 'unverified'], state),
      created_at desc, artifact_id`,
  );
};
