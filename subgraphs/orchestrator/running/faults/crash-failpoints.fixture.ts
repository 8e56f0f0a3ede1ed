import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type CrashScenario, crashScenarios, HAS_ENDED, twoDeployed } from './crash.fixture.ts';
import { analysing, expiring } from './crash-gates.fixture.ts';

/** Failpoints of every test run, one for each operation during which a server may die. The full run has the others. */
export const REPRESENTATIVE: readonly string[] = [
  'agent.register.written',
  'deploy.launch.written',
  'deploy.report.written',
  'deploy.retry.written',
  'deploy.rollback.written',
  'deploy.runner.judged',
];

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

/** Operation during which the server dies, by failpoint; a deployment by default. */
const acts: Readonly<Record<string, (world: CrashScenario, failpoint: string) => Promise<void>>> = {
  'deploy.launch.written': async (world, failpoint) => {
    const wanted = await world.approved();
    await world.server().dieAt(failpoint);
    await assert.rejects(world.launch(wanted), HAS_ENDED);
    await world.takeOver();
    assert.deepEqual(await world.jobsOf(wanted.release.id), [], 'a launch that was not answered made no job');
    assert.equal((await world.promotionOf(wanted.promotion.id)).state, 'approved');
    await world.launch(wanted);
    await world.check(wanted);
  },

  'deploy.rollback.written': async (world, failpoint) => {
    const [first, second] = await twoDeployed(world);
    await world.server().dieAt(failpoint);
    await assert.rejects(world.ask(...world.rollback), HAS_ENDED);
    await world.takeOver();
    assert.equal((await world.jobsOf(second.release.id))[0]?.state, 'completed', 'nothing is undone by halves');
    await world.ask(...world.rollback);
    await world.check(first, 2);
    assert.equal((await world.jobsOf(second.release.id))[0]?.state, 'rolled_back');
  },

  'deploy.retry.written': async (world, failpoint) => {
    const wanted = await world.approved();
    {
      using _down = world.registry.fault({ kind: 'status', match: '/v2/', status: 503 });
      await world.launch(wanted);
      assert.equal((await world.endOf(wanted)).anatomy?.category, 'RegistryUnreachable');
    }
    const [failed] = await world.jobsOf(wanted.release.id);
    const retry = ['deployment.retry', { id: failed?.id }] as const;
    await world.server().dieAt(failpoint);
    await assert.rejects(world.ask(...retry), HAS_ENDED);
    await world.takeOver();
    assert.equal((await world.jobsOf(wanted.release.id)).length, 1, 'a retry that was not answered made no job');
    await world.ask(...retry);
    const [again] = await world.jobsOf(wanted.release.id);
    assert(again && again.promotionId !== wanted.promotion.id);
    await world.check({ ...wanted, promotion: { id: again.promotionId } }, 2);
    assert.equal((await world.promotionOf(wanted.promotion.id)).state, 'failed');
  },

  'deploy.runner.expired': expiring,
  'deploy.runner.measured': analysing,
  'deploy.runner.judged': analysing,

  'agent.register.written': async (world, failpoint) => {
    const token = await world.token('two');
    await world.server().dieAt(failpoint);
    await assert.rejects(world.agents.start('two', { server: world.origin, token }), /the agent ended/);
    await world.takeOver();
    const named = async () =>
      (await world.module.agents.list(world.caller('viewer'), {})).filter(({ name }) => name === 'two');
    assert.deepEqual(await named(), []);
    const two = await world.agents.start('two', { server: world.origin, token });
    assert.deepEqual(
      (await named()).map(({ id }) => id),
      [two.id],
      'the token was not used up',
    );
  },
};

const deploying = async (world: CrashScenario, failpoint: string): Promise<void> => {
  const launched = await world.approved();
  await world.server().dieAt(failpoint);
  await world.tryToLaunch(launched);
  await world.takeOver();
  await world.check(launched);
};

/** Defines tests that kill the server at each of these failpoints, in one installation with three targets. */
export const testFailpoints = (names: readonly string[]): void => {
  const worlds = crashScenarios(3);
  after(() => worlds[Symbol.asyncDispose]());
  for (const failpoint of names)
    test(`killed at ${failpoint}, the deployment still has exactly one end`, onlyLinux, () =>
      worlds.use((world) => (acts[failpoint] ?? deploying)(world, failpoint)),
    );
};
