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

const jobOf = async (scenario: CrashScenario, { release }: Approved) => {
  const [deployment] = await scenario.jobsOf(release.id);
  assert(deployment);
  return scenario.module.deployments.get(scenario.caller('viewer'), { id: deployment.id });
};

/** Starts a canary and waits for its first gate, when each target sends half of its traffic to the new release. */
const launchToGate = async (
  scenario: CrashScenario,
  expected: Approved,
  gate: 'manual' | 'analysis',
): Promise<string> => {
  const params = { canarySteps: [50, 100], gate };
  await scenario.ask('deployment.launch', { promotionId: expected.promotion.id, strategy: 'canary', params });
  const paused = await until(async () => {
    const deployment = await jobOf(scenario, expected);
    return deployment.state === 'paused' && deployment;
  });
  return paused.id;
};

/**
 * Passes the deadline of a canary at its gate. Checks that it fails once and every target serves the former release.
 */
export const expiring = async (scenario: CrashScenario, failpoint: string): Promise<void> => {
  const before = await scenario.approved();
  await scenario.launch(before);
  await scenario.check(before);
  const expected = await scenario.approved();
  const id = await launchToGate(scenario, expected, 'manual');
  scenario.noteStarted(expected);
  await scenario.server().dieAt(failpoint);
  await scenario.leases.passDeadline(id);
  await scenario.takeOver();
  const { state, anatomy, targets } = await jobOf(scenario, expected);
  assert.deepEqual([state, anatomy?.category, anatomy?.stage], ['failed', 'Timeout', 'traffic-gate']);
  assert(targets.every((target) => target.state === 'cancelled'));
  await until(async () => (await scenario.leases.open()) === 0);
  for (const target of scenario.targets) {
    assert.equal(await served(target.port), before.version);
    assert.equal((await scenario.agents.processes('one', target.id)).length, 1);
  }
};

/** Runs the analysis of a canary's gate until it passes twice. Checks that the canary continues once and lands. */
export const analysing = async (scenario: CrashScenario, failpoint: string): Promise<void> => {
  await using metrics = await contentServer();
  const operator = scenario.caller('operator');
  const { id: integrationId } = await scenario.module.integrations.create(operator, {
    kind: 'metrics',
    name: `metrics of ${failpoint}`,
    baseUrl: metrics.origin,
  });
  const { id, version } = await scenario.module.environments.get(operator, { id: scenario.environmentId });
  const analysis = { integrationId, query: 'up', min: 1, passes: 2 };
  await scenario.module.environments.update(operator, { id, expectedVersion: version, analysis });

  const expected = await scenario.approved();
  const deploymentId = await launchToGate(scenario, expected, 'analysis');
  await scenario.server().dieAt(failpoint);
  await scenario.leases.passInterval(deploymentId);
  await scenario.takeOver();
  await until(async () => {
    const { state } = await jobOf(scenario, expected);
    if (state === 'paused') await scenario.leases.passInterval(deploymentId);
    return state !== 'paused';
  });
  const states = ['preflight', 'planning', 'in_progress', 'paused', 'in_progress', 'verifying', 'completed'];
  await scenario.check(expected, 1, states);
};
