import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, id, oneOf, tenantId } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { hasEnded } from '../deployments/deployment-state.ts';

const dueDeployments = table('orchestrator.deployments.due', {
  tenant: tenantId,
  id: id('Deployment'),
  due: oneOf('late', 'preflight', 'analysis'),
});

export type DueDeployment = RowOf<typeof dueDeployments>;

/** Leases deployments that are due for the runner and have no valid lease, across tenants by the system role. */
export const leaseDue = (tx: Tx, limit: number, leaseSeconds: number) =>
  tx.list(
    dueDeployments,
    sql`/* orchestrator.runner.leaseDue */
    with due as (
      select tenant, id from orchestrator.deployments
      where not ${hasEnded}
        and (state in ('queued', 'preflight') or deadline_at <= kernel.now() or next_check_at <= kernel.now())
        and (lease_until is null or lease_until <= kernel.now())
      order by deadline_at limit ${limit}
      for update skip locked
    )
    update orchestrator.deployments as job
    set lease_until = kernel.now() + make_interval(secs => ${leaseSeconds})
    from due where job.tenant = due.tenant and job.id = due.id
    returning job.tenant, job.id, case
      when job.deadline_at <= kernel.now() then 'late'
      when job.state in ('queued', 'preflight') then 'preflight'
      else 'analysis'
    end as due`,
  );

const lateness = table('orchestrator.deployments.lateness', { isLate: boolean });

/** Checks whether a locked deployment is past its deadline. */
export const isLate = async (query: Query, tenant: TenantId, deploymentId: Id<'Deployment'>): Promise<boolean> => {
  const found = await query.get(
    lateness,
    sql`/* orchestrator.runner.isLate */
    select deadline_at <= kernel.now() as is_late from orchestrator.deployments
    where tenant = ${tenant} and id = ${deploymentId}`,
  );
  return found.isLate;
};
