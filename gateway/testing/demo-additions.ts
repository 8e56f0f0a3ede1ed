import { people } from '@landfall/kernel/testing/callers';
import { until } from '@landfall/kernel/testing/until';
import type { Orchestrator } from '@landfall/orchestrator';
import { freePorts } from './processes.ts';

type Ids = Readonly<Record<string, string>>;

/**
 * Creates what the demo lacks: a canary that waits at its gate, in an environment after prod with a target of each
 * agent.
 * @returns ids of the demo and of this
 */
export const addCanaryAtGate = async (orchestrator: Orchestrator, ids: Ids): Promise<Ids> => {
  const { agents, environments, products, targets, promotions, deployments } = orchestrator;
  const { operator } = people;
  const policy = { name: 'island', orderIndex: 40, stageKind: 'prod', requiredApprovals: 0 };
  const { id: environmentId } = await environments.create(operator, policy);
  const shop = await products.get(operator, { id: ids.shopProductId });
  const route = [ids.devEnvironmentId, ids.environmentId, ids.prodEnvironmentId, environmentId];
  const steps = route.map((step, i) => ({ environmentId: step, after: route.slice(0, i) }));
  await products.setPath(operator, { id: shop.id, expectedVersion: shop.version, steps });
  const known = await agents.list(operator, {});
  const ports = await freePorts(known.length);
  for (const [i, { id: agentId }] of known.entries()) {
    const config = { port: ports[i], probePath: '/healthz' };
    await targets.create(operator, { environmentId, name: `island-${i + 1}`, driver: 'process', agentId, config });
  }
  const requested = {
    releaseId: ids.releaseId,
    targetEnvironmentId: environmentId,
    reason: 'The shop opens on the island',
  };
  const deploy = async (strategy: 'all_at_once' | 'canary', end: 'completed' | 'paused'): Promise<string> => {
    const promotion = await promotions.request(operator, requested);
    const { id } = await deployments.launch(operator, { promotionId: promotion.id, strategy });
    await until(async () => {
      const { state, anatomy } = await deployments.get(operator, { id });
      if (anatomy) throw new Error(`the ${strategy} failed: ${JSON.stringify(anatomy)}`);
      return state === end;
    });
    return id;
  };
  // After a landing the agent observes the target at every poll, so the estate's counts do not depend on the moment.
  await deploy('all_at_once', 'completed');
  return { ...ids, pausedDeploymentId: await deploy('canary', 'paused'), islandEnvironmentId: environmentId };
};
