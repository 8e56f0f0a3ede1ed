import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '@landfall/kernel/db/sql';
import { integer, table, text } from '@landfall/kernel/db/table';
import { type CrashScenario, crashScenarios, failpoints } from './crash.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

/** Number of targets, deployed in batches of a quarter. */
const TARGETS = 10;
const BATCHES = [3, 3, 3, 1];
const WISH = { strategy: 'rolling', params: { batchPercent: 25 } };

/** Failpoints that a successful rollout does not pass. */
const ELSEWHERE: ReadonlySet<string> = new Set([
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

const said = table('kernel.events.said', { phase: integer, status: text });

/** Checks that the plan was executed: each phase once, in order, with its planned targets. */
const checkPhases = async (world: CrashScenario, releaseId: string): Promise<void> => {
  const [found] = await world.jobsOf(releaseId);
  assert(found);
  const deployment = await world.module.deployments.get(world.caller('viewer'), { id: found.id });
  assert.deepEqual(
    deployment.phases.map(({ kind, status, targetCount }) => [kind, status, targetCount]),
    BATCHES.map((count) => ['batch', 'done', count]),
  );
  for (const [index, count] of BATCHES.entries())
    assert.equal(deployment.targets.filter(({ phaseIndex }) => phaseIndex === index).length, count);
  const told = await world.rows(
    said,
    sql`/* test */ select (data->>'phase')::integer as phase, data->>'status' as status from kernel.events
      where entity_id = ${deployment.id} and type = 'deployment.phase' order by id`,
  );
  assert.deepEqual(
    told.map(({ phase, status }) => [phase, status]),
    BATCHES.flatMap((_, index) => [
      [index, 'running'],
      [index, 'done'],
    ]),
  );
};

const worlds = crashScenarios(TARGETS);
after(() => worlds[Symbol.asyncDispose]());

for (const failpoint of (await failpoints()).filter((name) => !ELSEWHERE.has(name)))
  test(`killed at ${failpoint} in the middle of a rollout, every batch is still done once`, onlyLinux, () =>
    worlds.use(async (world) => {
      const wanted = await world.approved();
      const launch = ['deployment.launch', { promotionId: wanted.promotion.id, ...WISH }] as const;
      await world.server().dieAt(failpoint, MIDDLE[failpoint]);
      await world.tryTo(...launch);
      await world.takeOver();
      // A launch that died before its commit was never answered: whoever asked asks again.
      if ((await world.jobsOf(wanted.release.id)).length === 0) await world.ask(...launch);
      await world.check(wanted);
      await checkPhases(world, wanted.release.id);
    }),
  );
