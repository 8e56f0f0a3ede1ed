import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, json, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { anatomyDocument } from './anatomy.ts';
import { states } from './deployments.store.ts';

const outcomes = table('orchestrator.deployments.outcomes', {
  /** Release asked about; the deployment may be of another release with the same digests. */
  subjectId: id('Release'),
  id: id('Deployment'),
  environmentId: id('Environment'),
  environmentName: text,
  state: oneOf(...states),
  anatomy: json(anatomyDocument).nullable(),
  landing: oneOf('verified', 'mismatch', 'unverified').nullable(),
  undoneById: id('Deployment').nullable(),
  launchedBy: text,
  createdAt: instant,
  completedAt: instant.nullable(),
});

/** Ended deployment with the outcome of a digest set in an environment. */
export type OutcomeRow = RowOf<typeof outcomes>;

/**
 * Lists the last ended deployment of each release's digest set in each environment; cancelled ones have no outcome.
 * Deployments of another product with the same digests do not count.
 */
export const listByReleases = (query: Query, tenant: TenantId, releaseIds: readonly Id<'Release'>[]) =>
  query.list(
    outcomes,
    sql`/* orchestrator.outcomes.listByReleases */
    select ${outcomes.columns} from (
      select distinct on (r.id, d.environment_id) d.*, r.id as subject_id, e.name as environment_name
      from orchestrator.releases r
      join orchestrator.promotions p on p.tenant = r.tenant and p.gated_digest_set = r.gated_digest_set
      join orchestrator.deployments d
        on d.tenant = p.tenant and d.promotion_id = p.id and d.product_id = r.product_id
      join orchestrator.environments e on e.tenant = d.tenant and e.id = d.environment_id
      where r.tenant = ${tenant} and r.id = any(${releaseIds}::uuid[]) and d.kind = 'deploy'
        and d.state in ('completed', 'failed', 'rollback_in_progress', 'rolled_back', 'rollback_failed')
      order by r.id, d.environment_id, d.created_at desc, d.id desc
    ) as known
    order by created_at desc, id desc`,
  );
