import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import type { Target } from '../../catalogue/targets/target.ts';
import { firstPhases } from '../plan/planner.ts';
import * as deploymentPhases from './deployment-phases.store.ts';
import * as deploymentTargets from './deployment-targets.store.ts';
import * as deployments from './deployments.store.ts';

/**
 * Inserts a deployment with its phases and targets, each target in the first phase that includes it.
 * @param targets the targets of the plan, in the order in which phases include them
 * @throws Fault DEPLOY_ROLLBACK_IN_PROGRESS, DEPLOY_IN_PROGRESS
 */
export const insertDeployment = async (
  tx: Tx,
  caller: Who,
  input: deployments.NewDeployment,
  targets: readonly Pick<Target, 'id' | 'name' | 'agentId'>[],
): Promise<deployments.Deployment> => {
  const deployment = await deployments.insert(tx, caller.tenant, input);
  await deploymentPhases.insertAll(tx, caller.tenant, deployment.id, input.plan.phases);
  const phases = firstPhases(input.plan);
  const rows = targets.map(({ id: targetId, name, agentId }, i) => ({
    targetId,
    name,
    agentId,
    phaseIndex: phases[i] ?? 0,
  }));
  await deploymentTargets.insertAll(tx, caller.tenant, deployment.id, rows);
  return deployment;
};
