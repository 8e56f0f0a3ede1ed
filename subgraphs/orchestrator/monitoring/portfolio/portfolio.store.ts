import type { TenantId } from '@landfall/kernel/core/ids';
import { count, id, instant, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { pauseReasons, states } from '../../running/deployments/deployment.ts';
import { isInEffect } from '../../running/deployments/deployment-state.ts';
import type { Labels } from '../../shared/labels.ts';
import { estate, worst } from '../estate/estate.ts';
import { estateStates } from '../estate/estate-rule.ts';

const cells = table('orchestrator.portfolio.cell', {
  productId: id('Product'),
  environmentId: id('Environment'),
  releaseId: id('Release').nullable(),
  semver: text.nullable(),
  deploymentId: id('Deployment').nullable(),
  deployedAt: instant.nullable(),
  state: oneOf(...estateStates).nullable(),
  newestDeploymentId: id('Deployment').nullable(),
  newestStatus: oneOf(...states).nullable(),
  newestSemver: text.nullable(),
  pauseReason: oneOf(...pauseReasons).nullable(),
  nextCheckAt: instant.nullable(),
  pending: count,
  approved: count,
  /** The newest promotion that waits for approval or launch. */
  promotionId: id('Promotion').nullable(),
  promotionState: oneOf('pending', 'approved').nullable(),
  promotionReleaseId: id('Release').nullable(),
  promotionSemver: text.nullable(),
});

/** A product in an environment of its path, without reading more of either. */
export type CellRow = RowOf<typeof cells>;

export interface PortfolioFilter {
  readonly ownerGroup: string | null;
  readonly labels: Labels;
}

/** Lists the cells of every product of a filter, in the order of the products' names and of the environments. */
export const listCells = (query: Query, tenant: TenantId, { ownerGroup, labels }: PortfolioFilter) =>
  query.list(
    cells,
    sql`/* orchestrator.portfolio.listCells */
    with product as (
      select id, name, has_own_path from orchestrator.products
      where tenant = ${tenant} and removed_at is null and labels @> ${jsonb(labels)}::jsonb
        and (${ownerGroup}::text is null or ${ownerGroup} = any(owner_groups))
    ), cell as (
      select p.id as product_id, p.name, e.id as environment_id, e.order_index
      from product as p
      join orchestrator.environments as e on e.tenant = ${tenant} and e.removed_at is null
      where not p.has_own_path or exists (select from orchestrator.path_steps as s
        where s.tenant = ${tenant} and s.product_id = p.id and s.environment_id = e.id)
    ), waiting as (
      select r.product_id, p.target_environment_id as environment_id,
        count(*) filter (where p.state = 'pending') as pending,
        count(*) filter (where p.state = 'approved') as approved,
        (array_agg(p.id order by p.id desc))[1] as promotion_id,
        (array_agg(p.state order by p.id desc))[1] as promotion_state,
        (array_agg(r.id order by p.id desc))[1] as promotion_release_id,
        (array_agg(r.semver order by p.id desc))[1] as promotion_semver
      from orchestrator.promotions as p
      join orchestrator.releases as r on r.tenant = ${tenant} and r.id = p.release_id
      where p.tenant = ${tenant} and p.state in ('pending', 'approved')
      group by r.product_id, p.target_environment_id
    ), observed as (
      select product_id, environment_id, ${worst} as state from (${estate(tenant)}) as c
      group by product_id, environment_id
    )
    select cell.product_id, cell.environment_id, r.id as release_id, r.semver, current.id as deployment_id,
      current.completed_at as deployed_at, observed.state, newest.id as newest_deployment_id,
      newest.state as newest_status, coalesce(n.semver, r.semver) as newest_semver, newest.pause_reason,
      newest.next_check_at, coalesce(waiting.pending, 0) as pending, coalesce(waiting.approved, 0) as approved,
      waiting.promotion_id, waiting.promotion_state, waiting.promotion_release_id, waiting.promotion_semver
    from cell
    left join lateral (
      select id, release_id, completed_at, state, pause_reason, next_check_at, ${isInEffect} as is_in_effect
      from orchestrator.deployments as d
      where d.tenant = ${tenant} and d.product_id = cell.product_id and d.environment_id = cell.environment_id
      order by created_at desc, id desc limit 1
    ) as newest on true
    left join lateral (
      select id, release_id, completed_at from orchestrator.deployments as d
      where newest.is_in_effect is not true
        and d.tenant = ${tenant} and d.product_id = cell.product_id and d.environment_id = cell.environment_id
        and ${isInEffect}
      order by created_at desc, id desc limit 1
    ) as earlier on true
    cross join lateral (
      select case when newest.is_in_effect then newest.id else earlier.id end as id,
        case when newest.is_in_effect then newest.release_id else earlier.release_id end as release_id,
        case when newest.is_in_effect then newest.completed_at else earlier.completed_at end as completed_at
    ) as current
    left join waiting on waiting.product_id = cell.product_id and waiting.environment_id = cell.environment_id
    left join observed on observed.product_id = cell.product_id and observed.environment_id = cell.environment_id
    left join orchestrator.releases as r on r.tenant = ${tenant} and r.id = current.release_id
    left join orchestrator.releases as n on n.tenant = ${tenant} and n.id = newest.release_id and newest.is_in_effect is not true
    order by cell.name, cell.order_index`,
  );
