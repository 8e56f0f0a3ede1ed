import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { until } from '@landfall/kernel/testing/until';
import { served } from '../../testing/agent-processes.ts';
import type { CrashScenario } from './crash.fixture.ts';

/** Starts a metrics server that answers 1 to every query. */
const contentServer = async () => {
  const answer = { status: 'success', data: { resultType: 'vector', result: [{ metric: {}, value: [0, '1'] }] } };
  const server = createServer((_, response) => void response.end(JSON.stringify(answer)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    origin: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

type Approved = Awaited<ReturnType<CrashScenario['approved']>>;

const jobOf = async (world: CrashScenario, { release }: Approved) => {
  const [deployment] = await world.jobsOf(release.id);
  assert(deployment);
  return world.module.deployments.get(world.caller('viewer'), { id: deployment.id });
};

/** Starts a canary and waits for its first gate, when each target sends half of its traffic to the new release. */
const launchToGate = async (world: CrashScenario, wanted: Approved, gate: 'manual' | 'analysis'): Promise<string> => {
  const params = { canarySteps: [50, 100], gate };
  await world.ask('deployment.launch', { promotionId: wanted.promotion.id, strategy: 'canary', params });
  const paused = await until(async () => {
    const deployment = await jobOf(world, wanted);
    return deployment.state === 'paused' && deployment;
  });
  return paused.id;
};

/**
 * Passes the deadline of a canary at its gate. Checks that it fails once and every target serves the former release.
 */
export const expiring = async (world: CrashScenario, failpoint: string): Promise<void> => {
  const before = await world.approved();
  await world.launch(before);
  await world.check(before);
  const wanted = await world.approved();
  const id = await launchToGate(world, wanted, 'manual');
  world.noteStarted(wanted);
  await world.server().dieAt(failpoint);
  await world.leases.passDeadline(id);
  await world.takeOver();
  const { state, anatomy, targets } = await jobOf(world, wanted);
  assert.deepEqual([state, anatomy?.category, anatomy?.stage], ['failed', 'Timeout', 'traffic-gate']);
  assert(targets.every((target) => target.state === 'cancelled'));
  await until(async () => (await world.leases.open()) === 0);
  for (const target of world.targets) {
    assert.equal(await served(target.port), before.version);
    assert.equal((await world.agents.processes('one', target.id)).length, 1);
  }
};

/** Runs the analysis of a canary's gate until it passes twice. Checks that the canary continues once and lands. */
export const analysing = async (world: CrashScenario, failpoint: string): Promise<void> => {
  await using metrics = await contentServer();
  const operator = world.caller('operator');
  const { id: integrationId } = await world.module.integrations.create(operator, {
    kind: 'metrics',
    name: `metrics of ${failpoint}`,
    baseUrl: metrics.origin,
  });
  const { id, version } = await world.module.environments.get(operator, { id: world.environmentId });
  const analysis = { integrationId, query: 'up', min: 1, passes: 2 };
  await world.module.environments.update(operator, { id, expectedVersion: version, analysis });

  const wanted = await world.approved();
  const deploymentId = await launchToGate(world, wanted, 'analysis');
  await world.server().dieAt(failpoint);
  await world.leases.passInterval(deploymentId);
  await world.takeOver();
  await until(async () => {
    const { state } = await jobOf(world, wanted);
    if (state === 'paused') await world.leases.passInterval(deploymentId);
    return state !== 'paused';
  });
  const states = ['preflight', 'planning', 'in_progress', 'paused', 'in_progress', 'verifying', 'completed'];
  await world.check(wanted, 1, states);
};
