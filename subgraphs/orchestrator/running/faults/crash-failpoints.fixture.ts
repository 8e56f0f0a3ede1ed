import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type CrashScenario, crashScenarios, HAS_ENDED, twoDeployed } from './crash.fixture.ts';
import { analysing, expiring } from './crash-gates.fixture.ts';

/** Failpoints of every test run: before anything is promised, and in the middle of the work. The full run has the others. */
export const REPRESENTATIVE: readonly string[] = ['deploy.launch.written', 'deploy.report.written'];

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

/** Operation during which the server dies, by failpoint; a deployment by default. */
const runs: Readonly<Record<string, (world: CrashScenario, failpoint: string) => Promise<void>>> = {
  'deploy.launch.written': async (scenario, failpoint) => {
    const expected = await scenario.approved();
    await scenario.server().dieAt(failpoint);
    await assert.rejects(scenario.launch(expected), HAS_ENDED);
    await scenario.takeOver();
    assert.deepEqual(await scenario.jobsOf(expected.release.id), [], 'a launch that was not answered made no job');
    assert.equal((await scenario.promotionOf(expected.promotion.id)).state, 'approved');
    await scenario.launch(expected);
    await scenario.check(expected);
  },

  'deploy.rollback.written': async (scenario, failpoint) => {
    const [first, second] = await twoDeployed(scenario);
    await scenario.server().dieAt(failpoint);
    await assert.rejects(scenario.ask(...scenario.rollback), HAS_ENDED);
    await scenario.takeOver();
    assert.equal((await scenario.jobsOf(second.release.id))[0]?.state, 'completed', 'nothing is undone by halves');
    await scenario.ask(...scenario.rollback);
    await scenario.check(first, 2);
    assert.equal((await scenario.jobsOf(second.release.id))[0]?.state, 'rolled_back');
  },

  'deploy.retry.written': async (scenario, failpoint) => {
    const expected = await scenario.approved();
    {
      using _down = scenario.registry.fault({ kind: 'status', match: '/v2/', status: 503 });
      await scenario.launch(expected);
      assert.equal((await scenario.endOf(expected)).anatomy?.category, 'RegistryUnreachable');
    }
    const [failed] = await scenario.jobsOf(expected.release.id);
    const retry = ['deployment.retry', { id: failed?.id }] as const;
    await scenario.server().dieAt(failpoint);
    await assert.rejects(scenario.ask(...retry), HAS_ENDED);
    await scenario.takeOver();
    assert.equal((await scenario.jobsOf(expected.release.id)).length, 1, 'a retry that was not answered made no job');
    await scenario.ask(...retry);
    const [repeated] = await scenario.jobsOf(expected.release.id);
    assert(repeated && repeated.promotionId !== expected.promotion.id);
    await scenario.check({ ...expected, promotion: { id: repeated.promotionId } }, 2);
    assert.equal((await scenario.promotionOf(expected.promotion.id)).state, 'failed');
  },

  'deploy.runner.expired': expiring,
  'deploy.runner.measured': analysing,
  'deploy.runner.judged': analysing,

  'agent.register.written': async (scenario, failpoint) => {
    const token = await scenario.token('two');
    await scenario.server().dieAt(failpoint);
    await assert.rejects(scenario.agents.start('two', { server: scenario.origin, token }), /the agent ended/);
    await scenario.takeOver();
    const byName = async () =>
      (await scenario.module.agents.list(scenario.caller('viewer'), {})).filter(({ name }) => name === 'two');
    assert.deepEqual(await byName(), []);
    const two = await scenario.agents.start('two', { server: scenario.origin, token });
    assert.deepEqual(
      (await byName()).map(({ id }) => id),
      [two.id],
      'the token was not used up',
    );
  },
};

const deploying = async (scenario: CrashScenario, failpoint: string): Promise<void> => {
  const launched = await scenario.approved();
  await scenario.server().dieAt(failpoint);
  await scenario.tryToLaunch(launched);
  await scenario.takeOver();
  await scenario.check(launched);
};

/** Defines tests that kill the server at each of these failpoints, in one installation with three targets. */
export const testFailpoints = (names: readonly string[]): void => {
  const scenarios = crashScenarios(3);
  after(() => scenarios[Symbol.asyncDispose]());
  for (const failpoint of names)
    test(`killed at ${failpoint}, the deployment still has exactly one end`, onlyLinux, () =>
      scenarios.use((scenario) => (runs[failpoint] ?? deploying)(scenario, failpoint)),
    );
};
