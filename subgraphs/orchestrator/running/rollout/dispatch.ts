import type { Who } from '@landfall/kernel/core/caller';
import type { Id, Ids } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { failpoint } from '@landfall/kernel/system/failpoint';
import * as agents from '../../catalogue/agents/agent.ts';
import * as releases from '../../catalogue/releases/release.ts';
import * as targetsStore from '../../catalogue/targets/target.ts';
import * as variableSets from '../../catalogue/variables/variable-sets.ts';
import { classify, failureSubjectOf } from '../deployments/anatomy.ts';
import type { Deployment } from '../deployments/deployment.ts';
import type { DeploymentPhase } from '../deployments/deployment-phase.ts';
import * as deploymentTargets from '../deployments/deployment-target.ts';
import { inDependencyOrder } from '../plan/dependency-order.ts';
import { trafficOf } from '../plan/planner.ts';
import type { TaskQueue } from './ports.ts';
import { taskOrder } from './task-order.ts';
import { noteLostWithdrawal } from './withdrawal.ts';

/** Deadline of a withdrawal in milliseconds: an agent that returns within it executes the withdrawal. */
const WITHDRAWAL_MS = 86_400_000;

const componentsOf = async (tx: Tx, caller: Who, deployment: Deployment) => {
  const release = await releases.find(tx, caller.tenant, deployment.releaseId);
  return release && inDependencyOrder(release.components);
};

/** Reads the variable set that the deployment recorded. */
const variablesOf = async (tx: Tx, caller: Who, { environmentId, variableSetVersion }: Deployment) => {
  if (variableSetVersion === null) return [];
  const set = await variableSets.find(tx, caller.tenant, environmentId, variableSetVersion);
  if (!set) throw new TypeError(`environment ${environmentId} has lost version ${variableSetVersion} of its variables`);
  return set.variables;
};

export type Dispatch = ReturnType<typeof createDispatch>;

/** Creates the functions that dispatch tasks to agents; callers have locked the deployment. */
export const createDispatch = ({ ids, queue }: { readonly ids: Ids; readonly queue: TaskQueue }) => ({
  /** Checks whether the release's components have a dependency order. */
  isOrdered: async (tx: Tx, caller: Who, deployment: Deployment): Promise<boolean> =>
    (await componentsOf(tx, caller, deployment)) !== undefined,

  /** Dispatches the tasks of a phase. A target that was disabled since then fails at once. */
  async apply(tx: Tx, caller: Who, deployment: Deployment, phase: DeploymentPhase): Promise<void> {
    const components = (await componentsOf(tx, caller, deployment)) ?? [];
    const rows = await deploymentTargets.listByDeployments(tx, caller.tenant, [deployment.id]);
    const requested = rows.filter((row) => row.phaseIndex === phase.index && row.state === 'pending');
    const targetIds = requested.map((row) => row.targetId);
    const known = await targetsStore.listByIds(tx, caller.tenant, targetIds);
    const traffic = trafficOf(deployment.plan, phase);
    const variables = await variablesOf(tx, caller, deployment);
    for (const row of requested) {
      const target = known.find(({ id, state }) => id === row.targetId && state !== 'disabled');
      const order =
        target && taskOrder({ id: ids.uuid(), deployment, target, components, variables, action: 'apply', traffic });
      if (order) await queue.enqueue(tx, caller, order);
      else {
        const anatomy = classify(
          'execution',
          'target-removed',
          `${row.name} was disabled`,
          failureSubjectOf(deployment),
        );
        await deploymentTargets.move(tx, caller.tenant, row, 'failed', { anatomy });
      }
    }
    await failpoint('deploy.phase.handed');
  },

  /**
   * Dispatches withdrawals, which return all traffic to the former release. Neither a missing secret nor a deadline
   * prevents them. A target without an agent counts as settled, and its timeline records that.
   */
  async withdraw(tx: Tx, caller: Who, deployment: Deployment, targetIds: readonly Id<'Target'>[]): Promise<void> {
    const components = (await componentsOf(tx, caller, deployment)) ?? [];
    const source = { id: deployment.id, deadlineAt: new Date(deployment.deadlineAt.getTime() + WITHDRAWAL_MS) };
    const known = await targetsStore.listByIds(tx, caller.tenant, targetIds);
    const agentIds = known.flatMap(({ agentId }) => agentId ?? []);
    const served = await agents.listByIds(tx, caller.tenant, agentIds);
    const reachable = new Set(served.filter(({ state }) => state !== 'revoked').map(({ id }) => id));
    for (const targetId of targetIds) {
      const target = known.find(({ id, agentId }) => id === targetId && agentId !== null && reachable.has(agentId));
      const traffic = { weight: 0, retire: false };
      const order =
        target &&
        taskOrder({
          id: ids.uuid(),
          deployment: source,
          target,
          components,
          variables: [],
          action: 'withdraw',
          traffic,
        });
      if (order) await queue.enqueue(tx, caller, order);
      else
        await noteLostWithdrawal(
          tx,
          caller,
          { deploymentId: deployment.id, targetId },
          'no agent is left to take it back',
        );
    }
  },
});
