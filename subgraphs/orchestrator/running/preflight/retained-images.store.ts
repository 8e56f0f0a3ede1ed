import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

const retained = table('orchestrator.deployment_targets.retained', {
  targetId: id('Target'),
  agentId: id('Agent').nullable(),
  gatedDigestSet: text.nullable(),
});

/**
 * Lists the digests that each target's agent has on its disk: those that landed last, and those that they replaced. A
 * landing of the same digests with other settings or as another release replaces nothing.
 */
export const listRetained = (query: Query, tenant: TenantId, environment: Id<'Environment'>) =>
  query.list(
    retained,
    sql`/* orchestrator.rollback.listRetained */
    select ${retained.columns} from (
      select *, row_number() over (partition by target_id order by created_at desc, id desc) as nth from (
        select distinct on (landed.target_id, release.gated_digest_set)
          landed.target_id, landed.agent_id, release.gated_digest_set, job.created_at, job.id
        from orchestrator.deployments as job
        join orchestrator.releases as release on release.tenant = job.tenant and release.id = job.release_id
        join orchestrator.deployment_targets as landed
          on landed.tenant = job.tenant and landed.deployment_id = job.id
        where job.tenant = ${tenant} and job.environment_id = ${environment} and landed.state = 'succeeded'
        order by landed.target_id, release.gated_digest_set, job.created_at desc, job.id desc
      ) as of_digests
    ) as numbered
    where nth <= 2`,
  );
