import assert from 'node:assert/strict';
import type { Assignment } from '@landfall/agent/protocol/messages';
import type { Environment } from '../../catalogue/environments/environments.store.ts';
import { type DeployingApp, deployingApp, failedAt, isAssignment, landedAt } from '../../testing/deploying-app.ts';
import type { Deployment } from '../deployments/deployments.store.ts';

type Words = (assignment: Assignment) => object;

export const WHY = 'Checkout answers 500 since noon.';

type DeploymentOptions = Readonly<Record<string, unknown>>;

/** Creates an environment with two targets of one agent whose reports the test chooses. */
export const rollbackScenarioOf = async (app: DeployingApp, overrides: DeploymentOptions = {}) => {
  const environment = await app.seed.environment({ requiredApprovals: 0, ...overrides });
  const agent = await app.register();
  const targets = [await app.seed.target(environment, agent), await app.seed.target(environment, agent)];

  /** Has the agent complete tasks until none is left. */
  const answer = async (results: Words = landedAt): Promise<void> => {
    await app.module.runOnce.runner();
    for (let next = await app.lease(agent); isAssignment(next); next = await app.lease(agent))
      await app.report(agent, next, 1, results(next));
  };

  const read = (id: string) => app.module.deployments.get(app.caller('viewer'), { id });
  const promotionOf = async ({ promotionId }: Pick<Deployment, 'promotionId'>) =>
    app.module.promotions.get(app.caller('viewer'), { id: promotionId });

  /** Creates a release and deploys it. */
  const deploy = async (results: Words = landedAt, location: Environment = environment) => {
    const release = await app.seed.ready();
    const promotion = await app.seed.approved(release, location);
    const { id } = await app.module.deployments.launch(app.caller('operator'), { promotionId: promotion.id });
    await answer(results);
    return { ...(await read(id)), release };
  };

  const ask = (overrides: Readonly<Record<string, unknown>> = {}) =>
    app.module.deployments.rollback(app.caller('operator'), {
      environmentId: environment.id,
      reason: WHY,
      ...overrides,
    });

  /** Requests a rollback and has the agent execute it. */
  const rollBack = async (overrides: Readonly<Record<string, unknown>> = {}, results: Words = landedAt) => {
    const { id } = await ask(overrides);
    await answer(results);
    return read(id);
  };

  const choices = async (): Promise<string[]> => {
    const { data, errors } = await app.graph(
      'query ($id: ID!) { environment(id: $id) { rollbackChoices { id } } }',
      { id: environment.id },
      { as: 'viewer' },
    );
    assert.equal(errors, undefined);
    const { rollbackChoices } = JSON.parse(JSON.stringify(data)).environment;
    return rollbackChoices.map(({ id }: { id: string }) => id);
  };

  return { ...app, environment, agent, targets, answer, read, promotionOf, deploy, ask, rollBack, choices };
};

/** Creates the scenario in an app of its own. */
export const rollbackScenario = async (overrides: DeploymentOptions = {}) =>
  rollbackScenarioOf(await deployingApp(), overrides);

export type RollbackScenario = Awaited<ReturnType<typeof rollbackScenarioOf>>;

export const broken: Words = () => failedAt('probe-failed', 'HTTP 500');
export const unreachable: Words = () => failedAt('registry-unreachable', 'ECONNREFUSED');

export const plain = (data: unknown) => JSON.parse(JSON.stringify(data));
