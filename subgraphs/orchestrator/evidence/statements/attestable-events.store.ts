import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

const ends = table('orchestrator.deployment_steps.end', { targetId: id('Target'), at: instant });

/** Lists how each target of a deployment ended, over all phases. */
export const listEnds = (query: Query, tenant: TenantId, deployment: Id<'Deployment'>) =>
  query.list(
    ends,
    sql`/* orchestrator.deployment_steps.listEnds */
    select target_id, max(at) as at from orchestrator.deployment_steps
    where tenant = ${tenant} and deployment_id = ${deployment} and step = 'done'
    group by target_id`,
  );

const findings = table('orchestrator.deployment_steps.finding', { stage: text, step: text, detail: text.nullable() });

/** Lists the preflight findings of a deployment from the timeline of one target; they are the same for every target. */
export const listPreflight = (query: Query, tenant: TenantId, deployment: Id<'Deployment'>, target: Id<'Target'>) =>
  query.list(
    findings,
    sql`/* orchestrator.deployment_steps.listPreflight */
    select stage, step, detail from orchestrator.deployment_steps
    where tenant = ${tenant} and deployment_id = ${deployment} and target_id = ${target}
      and stage in ('artifact-generation', 'bundle-assembly', 'preflight')
    order by id`,
  );
