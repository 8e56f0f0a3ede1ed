import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { count, id, oneOf } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { type Sql, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { ProductEnvironment } from '../../running/deployments/deployment.ts';
import { hasEnded, isInEffect } from '../../running/deployments/deployment-state.ts';
import { estate, worst } from './estate.store.ts';
import { estateStates } from './estate-rule.ts';

const releases = table('orchestrator.carried.release', {
  environmentId: id('Environment'),
  releaseId: id('Release'),
  targets: count,
});

/** Release and the number of enabled targets of an environment where it landed last. */
export type ReleaseOnTargets = RowOf<typeof releases>;

/** SQL: releases by product and environment. A landing replaces everything on a target, so each target has one release. */
const releasesOnTargets = (tenant: TenantId): Sql => sql`
  select t.product_id, t.environment_id, a.release_id, count(distinct t.id) as targets
  from orchestrator.targets as t
  join orchestrator.approved_components as a on a.tenant = ${tenant} and a.target_id = t.id
  where t.tenant = ${tenant} and t.state not in ('draining', 'disabled')
  group by t.product_id, t.environment_id, a.release_id`;

export const listReleases = (query: Query, tenant: TenantId, environments: readonly Id<'Environment'>[]) =>
  query.list(
    releases,
    sql`/* orchestrator.carried.listReleases */
    select ${releases.columns} from (${releasesOnTargets(tenant)}) as c
    where environment_id = any(${environments}::uuid[])
    order by environment_id, targets desc, release_id desc`,
  );

const states = table('orchestrator.carried.state', {
  environmentId: id('Environment'),
  state: oneOf(...estateStates),
});

/** Lists the worst estate state of each environment; an environment without components is absent. */
export const listStates = (query: Query, tenant: TenantId, environments: readonly Id<'Environment'>[]) =>
  query.list(
    states,
    sql`/* orchestrator.carried.listStates */
    select environment_id, ${worst} as state from (${estate(tenant)}) as c
    where environment_id = any(${environments}::uuid[])
    group by environment_id`,
  );

const productStates = table('orchestrator.carried.productState', {
  productId: id('Product'),
  environmentId: id('Environment'),
  state: oneOf(...estateStates),
});

/** Lists the worst estate state of each product in each environment; one without components is absent. */
export const listStatesOfProducts = (
  query: Query,
  tenant: TenantId,
  productEnvironments: readonly ProductEnvironment[],
) =>
  query.list(
    productStates,
    sql`/* orchestrator.carried.listStatesOfProducts */
    select p.id as product_id, c.environment_id, ${worst} as state
    from (${estate(tenant)}) as c
    join orchestrator.products as p on p.tenant = ${tenant} and p.id = c.product_id
    where (c.product_id, c.environment_id) in (select * from unnest(
      ${productEnvironments.map(({ productId }) => productId)}::uuid[], ${productEnvironments.map(({ environmentId }) => environmentId)}::uuid[]))
    group by p.id, c.environment_id`,
  );

const unsettled = table('orchestrator.carried.unsettled', { id: id('Environment') });

/**
 * Lists environments that need attention, in the order of the promotion path: a component drifts or is unobserved, or a
 * target runs another release than the current one while no deployment is running.
 */
export const listUnsettled = (query: Query, tenant: TenantId) =>
  query.list(
    unsettled,
    sql`/* orchestrator.carried.listUnsettled */
    with astray as (
      select distinct environment_id from (${estate(tenant)}) as c where state <> 'in_sync'
    ), carried as (${releasesOnTargets(tenant)})
    select e.id from orchestrator.environments as e
    where e.tenant = ${tenant} and (
      e.id in (select environment_id from astray)
      or exists (
        select from carried as c
        left join lateral (
          select release_id from orchestrator.deployments
          where tenant = ${tenant} and product_id = c.product_id and environment_id = e.id and ${isInEffect}
          order by created_at desc, id desc limit 1
        ) as current on true
        where c.environment_id = e.id and c.release_id is distinct from current.release_id
          and not exists (select from orchestrator.deployments
            where tenant = ${tenant} and product_id = c.product_id and environment_id = e.id and not ${hasEnded})))
    order by e.order_index`,
  );
