import assert from 'node:assert/strict';
import { strategies } from '../../shared/enums.ts';
import { leaseAllTasks } from '../../testing/complete-tasks.ts';
import { type DeployingApp, deployingApp, landedAt, type TestAgent } from '../../testing/deploying-app.ts';
import { trafficOf } from './planner.ts';

const operatorOf = (app: DeployingApp) => app.caller('operator');

/** Launches, completes the agents' tasks phase by phase, and compares each phase with the preview. */
const executePlan = async (
  app: DeployingApp,
  agent: TestAgent,
  environmentId: string,
  request: object,
): Promise<void> => {
  const operator = operatorOf(app);
  const { deployments, environments } = app.module;
  const environment = await environments.get(operator, { id: environmentId });
  const release = await app.seed.ready();
  const preview = await deployments.plan(operator, { releaseId: release.id, environmentId, ...request });
  const promotion = await app.seed.approved(release, environment);
  const { id } = await deployments.launch(operator, { promotionId: promotion.id, ...request });
  await app.module.runOnce.runner();
  for (const phase of preview.phases) {
    const tasks = await leaseAllTasks(app, agent);
    assert.equal(tasks.length, phase.targetCount, `tasks of phase ${phase.index} of ${preview.effectiveBehaviour}`);
    assert.equal(new Set(tasks.map(({ task }) => task.targetId)).size, phase.targetCount);
    for (const { task } of tasks) assert.deepEqual(task.traffic, trafficOf(preview, phase));
    await Promise.all(tasks.map((assignment) => app.report(agent, assignment, 1, landedAt(assignment))));
    const now = await deployments.get(operator, { id });
    assert.equal(now.state === 'paused', phase.gate !== null);
    if (phase.gate !== null) await deployments.advancePhase(operator, { id, phaseIndex: phase.index });
  }
  const finished = await deployments.get(operator, { id });
  assert.deepEqual([finished.state, finished.landing], ['completed', 'verified']);
  assert.deepEqual(
    finished.phases.map(({ deploymentId: _, startedAt, endedAt, ...phase }) => ({
      ...phase,
      isTimed: startedAt !== null && endedAt !== null && startedAt <= endedAt,
    })),
    preview.phases.map((phase) => ({ ...phase, status: 'done', isTimed: true })),
  );
  assert(finished.targets.every(({ state }) => state === 'succeeded'));
};

const drivers = {
  process: (n: number) => ({ driver: 'process', config: { port: 21_000 + n } }),
  static_slot: (n: number) => ({ driver: 'static_slot', config: { slot: `slot-${n}` } }),
} as const;

/**
 * Executes every strategy on environments with up to `last` targets, with and without routers.
 * @param isTried selects the numbers of targets to try
 */
export const executeAllPlans = async (
  driver: keyof typeof drivers,
  last: number,
  isTried: (n: number) => boolean,
): Promise<void> => {
  await using app = await deployingApp();
  const environment = await app.seed.environment({ requiredApprovals: 0, strategyParams: { gate: 'manual' } });
  const agent = await app.register({ process: '1', 'static-slot': '1' });
  for (let n = 1; n <= last; n++) {
    await app.seed.target(environment, agent, drivers[driver](n));
    if (!isTried(n)) continue;
    for (const strategy of strategies) await executePlan(app, agent, environment.id, { strategy });
  }
};
