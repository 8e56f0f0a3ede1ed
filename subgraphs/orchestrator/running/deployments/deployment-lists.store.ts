// Deployments of promotions and releases, and those that a person must look at.
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { hasEnded } from './deployment-state.ts';
import { deployments } from './deployments.store.ts';

/** Lists the newest deployment of each promotion. */
export const listNewestByPromotions = (query: Query, tenant: TenantId, promotionIds: readonly string[]) =>
  query.list(
    deployments,
    sql`/* orchestrator.deployments.listNewestByPromotions */
    select distinct on (promotion_id) ${deployments.columns} from orchestrator.deployments
    where tenant = ${tenant} and promotion_id = any(${promotionIds}::uuid[])
    order by promotion_id, created_at desc, id desc`,
  );

/** Lists the newest deployment of each of these releases in each environment. */
export const listNewestByReleases = (query: Query, tenant: TenantId, releaseIds: readonly string[]) =>
  query.list(
    deployments,
    sql`/* orchestrator.deployments.listNewestByReleases */
    select distinct on (release_id, environment_id) ${deployments.columns} from orchestrator.deployments
    where tenant = ${tenant} and release_id = any(${releaseIds}::uuid[])
    order by release_id, environment_id, created_at desc, id desc`,
  );

/** Lists deployments that are the newest of their product and environment and failed, or completed without a verified landing. */
export const listLatestUnsuccessful = (query: Query, tenant: TenantId) =>
  query.list(
    deployments,
    sql`/* orchestrator.deployments.listLatestUnsuccessful */
    select ${deployments.columns} from (
      select distinct on (product_id, environment_id) * from orchestrator.deployments
      where tenant = ${tenant} order by product_id, environment_id, created_at desc, id desc
    ) as last
    where state = 'failed' or (state = 'completed' and landing is distinct from 'verified')
    order by created_at desc, id desc`,
  );

/** Lists deployments that have not ended: first the paused ones whose gate a person decides, then by newest. */
export const listActive = (query: Query, tenant: TenantId) =>
  deployments.listWhere(
    query,
    'listActive',
    sql`tenant = ${tenant} and not ${hasEnded}
    order by (state = 'paused' and next_check_at is null) desc, created_at desc, id desc
    limit 200`,
  );

const predecessors = table('orchestrator.deployments.predecessors', {
  id: id('Deployment'),
  previousId: id('Deployment'),
});

/**
 * Lists the deployment that each of these replaced: the newest one before it that completed without a digest mismatch and
 * was not undone when it was created. None where nothing ran.
 */
export const listPrevious = (query: Query, tenant: TenantId, ids: readonly Id<'Deployment'>[]) =>
  query.list(
    predecessors,
    sql`/* orchestrator.deployments.listPrevious */
    select d.id, previous.id as previous_id
    from orchestrator.deployments as d
    cross join lateral (
      select p.id from orchestrator.deployments as p
      left join orchestrator.deployments as undoing on undoing.tenant = ${tenant} and undoing.id = p.undone_by_id
      where p.tenant = ${tenant} and p.product_id = d.product_id and p.environment_id = d.environment_id
        and (p.created_at, p.id) < (d.created_at, d.id)
        and p.state in ('completed', 'rollback_in_progress', 'rollback_failed', 'rolled_back')
        and p.landing <> 'mismatch'
        and (p.state <> 'rolled_back' or undoing.id = d.id or undoing.completed_at > d.created_at)
      order by p.created_at desc, p.id desc limit 1
    ) as previous
    where d.tenant = ${tenant} and d.id = any(${ids}::uuid[])`,
  );
