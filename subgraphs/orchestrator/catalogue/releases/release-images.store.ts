import type { TenantId } from '@landfall/kernel/core/ids';
import { boolean, id, json, text, textArray } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { oneOf } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { evidenceTypes } from '../../shared/enums.ts';
import { evidencePolicy } from '../environments/evidence-policy.ts';

const schema = table('orchestrator.releases schema', { exists: boolean });

/** Whether the database has deployments: a role without the orchestrator may start before the first one with it. */
export const hasReleases = async (query: Query): Promise<boolean> => {
  const { exists } = await query.get(
    schema,
    sql`/* orchestrator.releases.hasSchema */
    select to_regclass('orchestrator.deployments') is not null as exists`,
  );
  return exists;
};

const images = table('orchestrator.releases images', { digests: textArray });

/** Digests of a release's images and of their platforms; undefined if there is no such release or deployment. */
export const listImages = async (
  query: Query,
  tenant: TenantId,
  { kind, id }: { readonly kind: 'release' | 'deployment'; readonly id: string },
): Promise<readonly string[] | undefined> => {
  const release =
    kind === 'release'
      ? sql`${id}::uuid`
      : sql`(select release_id from orchestrator.deployments where tenant = ${tenant} and id = ${id})`;
  const found = await query.find(
    images,
    sql`/* orchestrator.releases.listImages */
    select array(
      select digest from orchestrator.release_components
      where tenant = ${tenant} and release_id = r.id and digest is not null
      union
      select digest from orchestrator.component_platforms where tenant = ${tenant} and release_id = r.id
    ) as digests
    from orchestrator.releases r where r.tenant = ${tenant} and r.id = ${release}`,
  );
  return found?.digests;
};

const componentImages = table('orchestrator.releases component images', {
  releaseId: id('Release'),
  component: text,
  digest: text,
});

/** Images of some releases and of their platforms, by component. */
export const listComponentImages = (query: Query, tenant: TenantId, releaseIds: readonly string[]) =>
  query.list(
    componentImages,
    sql`/* orchestrator.releases.listComponentImages */
    select release_id, name as component, digest from orchestrator.release_components
    where tenant = ${tenant} and release_id = any(${releaseIds}::uuid[]) and digest is not null
    union
    select release_id, component, digest from orchestrator.component_platforms
    where tenant = ${tenant} and release_id = any(${releaseIds}::uuid[])
    order by release_id, component, digest`,
  );

const gated = table('orchestrator.releases gated', {
  id: id('Release'),
  name: text,
  semver: text,
  environments: textArray,
});

/** Releases whose images are fixed, with the environments where they run: those that run first, then the newest. */
export const listGated = (query: Query, tenant: TenantId, limit: number) =>
  query.list(
    gated,
    sql`/* orchestrator.releases.listGated */
    with running as (
      select a.release_id, array_agg(distinct e.name order by e.name) as environments
      from orchestrator.approved_components a
      join orchestrator.targets t on t.tenant = ${tenant} and t.id = a.target_id and t.state not in ('draining', 'disabled')
      join orchestrator.environments e on e.tenant = ${tenant} and e.id = t.environment_id
      where a.tenant = ${tenant} group by a.release_id)
    select r.id, r.name, r.semver, coalesce(running.environments, '{}') as environments
    from orchestrator.releases r left join running on running.release_id = r.id
    where r.tenant = ${tenant} and (r.status in ('finalized', 'ready') or running.release_id is not null)
    order by running.release_id is null, r.id desc limit ${limit}`,
  );

const policies = table('orchestrator.environments evidence', {
  requiredEvidence: json(Type.Array(oneOf(...evidenceTypes))),
  policy: json(evidencePolicy),
});

/** Evidence that an environment requires; undefined if there is none. */
export const findEvidencePolicy = (query: Query, tenant: TenantId, environmentId: string) =>
  query.find(
    policies,
    sql`/* orchestrator.environments.findEvidencePolicy */
    select required_evidence, evidence_policy as policy from orchestrator.environments
    where tenant = ${tenant} and id = ${environmentId} and removed_at is null`,
  );
