import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AppOptions, buildApp } from '@landfall/kernel/testing/oci-app';
import { served } from '../../testing/agent-processes.ts';
import { type LiveApp, liveApp } from '../../testing/live-app.ts';
import { WHY } from './rollback.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

type State = Awaited<ReturnType<LiveApp['read']>>['state'];

/** Starts a real agent with two targets in one environment. */
const liveWorld = async () => {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(await liveApp());
  const operator = app.caller('operator');
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  const agent = await app.startAgent('one');
  const targets = [await app.target(environment, agent.id), await app.target(environment, agent.id)];

  type DeploymentOptions = Omit<AppOptions, 'version'>;

  const launch = async (
    version: string,
    request: Readonly<Record<string, unknown>> = {},
    overrides: DeploymentOptions = {},
  ) => {
    const release = await app.release(version, buildApp({ version, ...overrides }));
    const promotion = await app.seed.approved(release, environment);
    const { id } = await app.module.deployments.launch(operator, { promotionId: promotion.id, ...request });
    return { id, release };
  };

  const deploy = async (version: string, end: State = 'completed', overrides: DeploymentOptions = {}) => {
    const { id, release } = await launch(version, {}, overrides);
    return { ...(await app.until(id, ({ state }) => state === end)), release };
  };

  const rollBack = async (overrides: Readonly<Record<string, unknown>> = {}) => {
    const promotion = { environmentId: environment.id, reason: WHY, ...overrides };
    const { id } = await app.module.deployments.rollback(operator, promotion);
    return app.until(id, ({ state }) => state === 'completed');
  };

  /** Checks that every target serves this version only, and that these are all starts of a component. */
  const expectServed = async (version: string, starts: readonly string[]): Promise<void> => {
    for (const { id, port } of targets) {
      assert.equal(await served(port), version);
      assert.deepEqual(await app.agents.starts('one', id), starts);
      assert.equal((await app.agents.processes('one', id)).length, 1);
    }
    assert.deepEqual(app.bugs, []);
  };

  const resources = stack.move();
  return {
    ...app,
    launch,
    deploy,
    rollBack,
    expectServed,
    operator,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

test('a rollback puts back what ran before, and a second one what it had put away', onlyLinux, async () => {
  await using scenario = await liveWorld();
  const first = await scenario.deploy('1.0.0');
  const second = await scenario.deploy('2.0.0');
  const back = await scenario.rollBack();
  for (const { landing } of back.targets)
    assert.deepEqual([landing?.verdict, landing?.observedDigest], ['verified', first.release.components[0]?.digest]);
  assert.equal((await scenario.read(second.id)).state, 'rolled_back');
  await scenario.expectServed('1.0.0', ['1.0.0', '2.0.0', '1.0.0']);
  const forward = await scenario.rollBack();
  assert.equal(forward.targets[0]?.landing?.observedDigest, second.release.components[0]?.digest);
  await scenario.expectServed('2.0.0', ['1.0.0', '2.0.0', '1.0.0', '2.0.0']);
});

test(
  'after a deployment that failed a rollback finds every target as it was, and touches none',
  onlyLinux,
  async () => {
    await using scenario = await liveWorld();
    const first = await scenario.deploy('1.0.0');
    const second = await scenario.deploy('2.0.0', 'failed', { health: 'crashes' });
    const back = await scenario.rollBack();
    assert.deepEqual([back.releaseId, back.landing], [first.releaseId, 'verified']);
    assert.equal((await scenario.read(second.id)).state, 'rolled_back');
    await scenario.expectServed('1.0.0', ['1.0.0', '2.0.0']);
  },
);

test('after a canary that was halted nothing of it is left', onlyLinux, async () => {
  await using scenario = await liveWorld();
  const first = await scenario.deploy('1.0.0');
  const { id } = await scenario.launch('2.0.0', { strategy: 'canary', params: { canarySteps: [50, 100] } });
  await scenario.until(id, ({ state }) => state === 'paused');
  await scenario.module.deployments.halt(scenario.operator, { id, reason: 'Errors doubled.' });
  const back = await scenario.rollBack();
  assert.deepEqual([back.releaseId, back.landing], [first.releaseId, 'verified']);
  assert.equal((await scenario.read(id)).state, 'rolled_back');
  await scenario.expectServed('1.0.0', ['1.0.0', '2.0.0']);
});

test('a rollback needs no registry: the agent has kept what it replaced', onlyLinux, async () => {
  await using scenario = await liveWorld();
  await scenario.deploy('1.0.0');
  await scenario.deploy('2.0.0');
  for (const status of [503, 404]) {
    using _out = scenario.registry.fault({ kind: 'status', match: '/v2/', status });
    const back = await scenario.rollBack();
    assert.deepEqual([back.state, back.landing], ['completed', 'verified']);
  }
  await scenario.expectServed('2.0.0', ['1.0.0', '2.0.0', '1.0.0', '2.0.0']);
});
