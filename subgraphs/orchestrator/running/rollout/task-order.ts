import type { Task } from '@landfall/agent/protocol/messages';
import { toId } from '@landfall/kernel/core/ids';
import { isDigest } from '@landfall/kernel/crypto/digest';
import type { Component } from '../../catalogue/releases/release.ts';
import { driverLocationOf, drivers, portOf, probeOf } from '../../catalogue/targets/drivers.ts';
import type { Target } from '../../catalogue/targets/target.ts';
import { environmentOf, type TaskEnvironment } from '../../catalogue/variables/task-environment.ts';
import type { Variable } from '../../catalogue/variables/variable-sets.ts';
import type { Deployment } from '../deployments/deployment.ts';
import type { TaskOrder } from './ports.ts';

const STOP_TIMEOUT_MS = 10_000;
const PROBE_INTERVAL_MS = 25;

interface Source {
  readonly id: string;
  readonly deployment: Pick<Deployment, 'id' | 'deadlineAt'>;
  readonly target: Target;
  /**
   * Components in dependency order. The first uses the target's port, if it has one, and each next one the port after.
   */
  readonly components: readonly Component[];
  /** Variables of the set that the deployment recorded. */
  readonly variables: readonly Variable[];
  readonly action: Task['action'];
  readonly traffic: Task['traffic'];
}

const componentOrder = ({ name, repository, digest, platforms }: Component, port: number | null) => {
  if (!isDigest(digest)) throw new TypeError(`component ${name} is not gated`);
  const children = platforms.flatMap(({ platform, digest: child }) =>
    isDigest(child) ? [[platform, child] as const] : [],
  );
  return { name, repository, digest, platforms: Object.fromEntries(children), port };
};

/** Empty environment of a withdrawal, so that no missing secret can prevent it. */
const plain: TaskEnvironment = { env: {}, agentSecrets: {}, secretRefs: {} };

/** Builds the task for the agent of a target; undefined if the target has no agent. */
export const taskOrder = ({
  id,
  deployment,
  target,
  components,
  variables,
  action,
  traffic,
}: Source): TaskOrder | undefined => {
  const { agentId, config, driver } = target;
  if (agentId === null) return undefined;
  const { env, agentSecrets, secretRefs } = action === 'apply' ? environmentOf(target, variables) : plain;
  return {
    id: toId(id, 'AgentTask'),
    deploymentId: deployment.id,
    targetId: target.id,
    agentId,
    deadlineAt: deployment.deadlineAt,
    spec: {
      action,
      driver: drivers[driver].capability,
      components: components.map((component, i) => componentOrder(component, portOf(config, i))),
      traffic,
      place: driverLocationOf(config),
      spec: {
        env,
        agentSecrets,
        stopTimeoutMs: STOP_TIMEOUT_MS,
      },
      probe: { ...probeOf(config), intervalMs: PROBE_INTERVAL_MS },
    },
    secretRefs,
  };
};
