import assert from 'node:assert/strict';
import { type AppOptions, buildApp } from '@landfall/kernel/testing/oci-app';
import { served } from '../../testing/agent-processes.ts';
import { type LiveApp, liveApp } from '../../testing/live-app.ts';
import { WHY } from './rollback.fixture.ts';

type State = Awaited<ReturnType<LiveApp['read']>>['state'];

/** Starts a real agent with two targets in one environment. */
export const liveWorld = async () => {
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
