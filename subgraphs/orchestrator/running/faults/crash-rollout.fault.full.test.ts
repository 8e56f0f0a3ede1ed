import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { integer, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { type CrashScenario, crashScenarios, failpoints } from './crash.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

/** Number of targets, deployed in batches of a quarter. */
const TARGETS = 10;
const BATCHES = [3, 3, 3, 1];
const WISH = { strategy: 'rolling', params: { batchPercent: 25 } };

/** Failpoints that a successful rollout does not pass. */
const OTHER_STATES: ReadonlySet<string> = new Set([
  'agent.register.written',
  'deploy.retry.written',
  'deploy.rollback.written',
  'deploy.runner.expired',
  'deploy.runner.judged',
  'deploy.runner.measured',
]);

/** Passing at which the server dies, for failpoints that a rollout passes often: about the middle. */
const MIDDLE: Readonly<Record<string, number>> = {
  'agent.report.unanswered': 35,
  'agent.task.leased': 5,
  'agent.task.unanswered': 5,
  'deploy.advance': 7,
  'deploy.phase.handed': 2,
  'deploy.report.locked': 35,
  'deploy.report.written': 35,
};

const recorded = table('kernel.events.said', { phase: integer, status: text });

/** Checks that the plan was executed: each phase once, in order, with its planned targets. */
const checkPhases = async (scenario: CrashScenario, releaseId: string): Promise<void> => {
  const [found] = await scenario.jobsOf(releaseId);
  assert(found);
  const deployment = await scenario.module.deployments.get(scenario.caller('viewer'), { id: found.id });
  assert.deepEqual(
    deployment.phases.map(({ kind, status, targetCount }) => [kind, status, targetCount]),
    BATCHES.map((count) => ['batch', 'done', count]),
  );
  for (const [index, count] of BATCHES.entries())
    assert.equal(deployment.targets.filter(({ phaseIndex }) => phaseIndex === index).length, count);
  const events = await scenario.rows(
    recorded,
    sql`/* test */ select (data->>'phase')::integer as phase, data->>'status' as status from kernel.events
      where entity_id = ${deployment.id} and type = 'deployment.phase' order by id`,
  );
  assert.deepEqual(
    events.map(({ phase, status }) => [phase, status]),
    BATCHES.flatMap((_, index) => [
      [index, 'running'],
      [index, 'done'],
    ]),
  );
};

const scenarios = crashScenarios(TARGETS);
after(() => scenarios[Symbol.asyncDispose]());

for (const failpoint of (await failpoints()).filter((name) => !OTHER_STATES.has(name)))
  test(`killed at ${failpoint} in the middle of a rollout, every batch is still done once`, onlyLinux, () =>
    scenarios.use(async (scenario) => {
      const expected = await scenario.approved();
      const launch = ['deployment.launch', { promotionId: expected.promotion.id, ...WISH }] as const;
      await scenario.server().dieAt(failpoint, MIDDLE[failpoint]);
      await scenario.tryTo(...launch);
      await scenario.takeOver();
      // A launch that was interrupted before its commit was never answered: its client sends it again.
      if ((await scenario.jobsOf(expected.release.id)).length === 0) await scenario.ask(...launch);
      await scenario.check(expected);
      await checkPhases(scenario, expected.release.id);
    }),
  );
