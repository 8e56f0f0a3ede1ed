import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { count, double } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const metrics = table('orchestrator.delivery.metrics', {
  /** Deployments that landed verified, whatever came of them later. */
  deployments: count,
  /** Releases that landed verified for the first time, counted in each environment. */
  landings: count,
  leadTimeSeconds: double.nullable(),
  /** Deployments that ended and were not cancelled. */
  changes: count,
  failedChanges: count,
  /** Outages that ended, and environments with one that has not. */
  restored: count,
  unrestored: count,
  timeToRestoreSeconds: double.nullable(),
});

export type MetricsRow = RowOf<typeof metrics>;

interface Scope {
  readonly productId: Id<'Product'>;
  readonly environmentIds: readonly Id<'Environment'>[];
  readonly days: number;
}

/**
 * Measures the deployments of a product that ended in these environments within the last days. A change failed when its
 * deployment failed or was rolled back. Failures of an environment up to the same verified landing are one outage. It
 * begins when the first of them failed, or when the rollback of what had landed was asked for.
 */
export const measure = (query: Query, tenant: TenantId, { productId, environmentIds, days }: Scope) =>
  query.get(
    metrics,
    sql`/* orchestrator.delivery.measure */
    with change as (
      select d.release_id, d.environment_id, d.completed_at, d.landing,
        d.state <> 'completed' or d.landing = 'mismatch' as is_failure,
        coalesce(case when d.landing <> 'mismatch' then undoing.created_at end, d.completed_at) as began_at
      from orchestrator.deployments as d
      left join orchestrator.deployments as undoing on undoing.tenant = ${tenant} and undoing.id = d.undone_by_id
      where d.tenant = ${tenant} and d.product_id = ${productId} and d.environment_id = any(${environmentIds}::uuid[])
        and d.completed_at > kernel.now() - make_interval(days => ${days})
        and d.kind = 'deploy' and d.state <> 'cancelled'
    ), landing as (
      select extract(epoch from min(c.completed_at) - r.created_at)::float8 as seconds
      from change as c
      join orchestrator.releases as r on r.tenant = ${tenant} and r.id = c.release_id
      where c.landing = 'verified' and not exists (select from orchestrator.deployments as d
        where d.tenant = ${tenant} and d.release_id = c.release_id and d.environment_id = c.environment_id
          and d.landing = 'verified' and d.completed_at <= kernel.now() - make_interval(days => ${days}))
      group by r.id, r.created_at, c.environment_id
    ), outage as (
      select c.environment_id, extract(epoch from restoring.completed_at - min(c.began_at))::float8 as seconds
      from change as c
      left join lateral (
        select completed_at from orchestrator.deployments as d
        where d.tenant = ${tenant} and d.product_id = ${productId} and d.environment_id = c.environment_id
          and d.completed_at > c.began_at and d.landing = 'verified'
        order by d.completed_at limit 1
      ) as restoring on true
      where c.is_failure
      group by c.environment_id, restoring.completed_at
    )
    select
      (select count(*) from change where landing = 'verified') as deployments,
      (select count(*) from landing) as landings,
      (select percentile_cont(0.5) within group (order by seconds) from landing) as lead_time_seconds,
      (select count(*) from change) as changes,
      (select count(*) from change where is_failure) as failed_changes,
      (select count(seconds) from outage) as restored,
      (select count(*) from outage where seconds is null) as unrestored,
      (select percentile_cont(0.5) within group (order by seconds) from outage) as time_to_restore_seconds`,
  );
