import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, oneOf } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { type PlannedPhase, phaseKinds } from '../plan/plan.ts';

const deploymentPhases = table('orchestrator.deployment_phases', {
  deploymentId: id('Deployment'),
  index: integer,
  kind: oneOf(...phaseKinds),
  targetCount: integer,
  weight: integer.nullable(),
  gate: oneOf('manual', 'analysis').nullable(),
  /** `held`: the phase ended and its gate is closed. `skipped`: the deployment ended before the phase began. */
  status: oneOf('pending', 'running', 'held', 'done', 'failed', 'skipped'),
  startedAt: instant.nullable(),
  endedAt: instant.nullable(),
});

/** Phase of a deployment's plan, with its status. */
export type DeploymentPhase = RowOf<typeof deploymentPhases>;

export const insertAll = (tx: Tx, tenant: TenantId, deploymentId: Id<'Deployment'>, phases: readonly PlannedPhase[]) =>
  deploymentPhases.insertAll(
    tx,
    tenant,
    phases.map((phase) => ({ ...phase, deploymentId })),
  );

/** Lists the phases of deployments in order. */
export const listByDeployments = (query: Query, tenant: TenantId, deploymentIds: readonly string[]) =>
  deploymentPhases.listWhere(
    query,
    'listByDeployments',
    sql`tenant = ${tenant} and deployment_id = any(${deploymentIds}::uuid[])
    order by deployment_id, index`,
  );

/** Changes the status of one phase of a locked deployment. */
export const move = (
  tx: Tx,
  tenant: TenantId,
  { deploymentId, index }: Pick<DeploymentPhase, 'deploymentId' | 'index'>,
  status: 'running' | 'held' | 'done',
) =>
  tx.run(sql`/* orchestrator.deployment_phases.move */
    update orchestrator.deployment_phases set
      status = ${status},
      started_at = coalesce(started_at, kernel.now()),
      ended_at = case when ${status}::text <> 'running' then coalesce(ended_at, kernel.now()) end
    where tenant = ${tenant} and deployment_id = ${deploymentId} and index = ${index}`);

/** Ends the open phases of a locked deployment that ends early; phases that wait at a gate get `heldStatus` as their status. */
export const endAll = (tx: Tx, tenant: TenantId, deploymentId: Id<'Deployment'>, heldStatus: 'failed' | 'done') =>
  tx.run(sql`/* orchestrator.deployment_phases.endAll */
    update orchestrator.deployment_phases set
      status = case status when 'pending' then 'skipped' when 'held' then ${heldStatus} else 'failed' end,
      ended_at = case when status = 'running' then kernel.now() else ended_at end
    where tenant = ${tenant} and deployment_id = ${deploymentId} and status in ('pending', 'running', 'held')`);
