import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Query } from '@landfall/kernel/db/query';
import * as targetsStore from '../../catalogue/targets/target.ts';
import type { Deployment } from '../deployments/deployment.ts';
import type { DeploymentTarget } from '../deployments/deployment-target.ts';
import { isOverlapping } from '../plan/planner.ts';

interface Unhealthy {
  readonly id: string;
  readonly name: string;
  readonly detail: string | null;
}

/** Lists targets that became unhealthy before the phase that would change them. */
export const listUnhealthy = async (
  query: Query,
  caller: Who,
  deployment: Deployment,
  phaseIndex: number,
  rows: readonly DeploymentTarget[],
): Promise<Unhealthy[] | undefined> => {
  const inPhase = isOverlapping(deployment.plan) ? rows : rows.filter((row) => row.phaseIndex === phaseIndex);
  const ids = inPhase.map(({ targetId }) => targetId);
  const known = await targetsStore.listByIds(query, caller.tenant, ids);
  const unhealthy = known.filter(({ healthState }) => healthState === 'unhealthy');
  return unhealthy.length === 0
    ? undefined
    : unhealthy.map(({ id, name, healthDetail }) => ({ id, name, detail: healthDetail }));
};

export const targetUnhealthyFault = (targets: readonly Unhealthy[]): Fault =>
  new Fault('DEPLOY_TARGET_UNHEALTHY', 'A target of the next phase is unhealthy. Restore it, or halt the deployment.', {
    targets,
  });
