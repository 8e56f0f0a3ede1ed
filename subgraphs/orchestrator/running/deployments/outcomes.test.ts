import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import { refusal } from '../../testing/catalogue-app.ts';
import { type DeployingApp, deployingApp, failedAt, landedAt } from '../../testing/deploying-app.ts';
import { rollbackScenarioOf, unreachable } from '../rollback/rollback.fixture.ts';

const trail = table('kernel.events.data', { data: json(Type.Unknown()) });
const failed = () => failedAt('probe-failed', 'HTTP 500');

const outcomesOf = async (app: DeployingApp, releaseId: string): Promise<unknown> => {
  const { data, errors } = await app.graph(
    `query ($id: ID!) { release(id: $id) { outcomes {
      state asks by { id } environment { name } deployment { id } } } }`,
    { id: releaseId },
    { as: 'viewer' },
  );
  assert.equal(errors, undefined);
  return JSON.parse(JSON.stringify(data)).release.outcomes;
};

test('a launch of digests that failed elsewhere asks for an acknowledgement, which the trail keeps', async () => {
  await using app = await deployingApp();
  const operator = app.caller('operator');
  const lower = await rollbackScenarioOf(app);
  const upper = await rollbackScenarioOf(app);
  const { release } = await lower.deploy();
  const { id } = await app.launch((await app.seed.approved(release, upper.environment)).id);
  await upper.answer(failed);
  assert.partialDeepStrictEqual(await outcomesOf(app, release.id), [
    { state: 'FAILED', asks: true, environment: { name: upper.environment.name }, deployment: { id } },
    { state: 'LANDED', asks: false, environment: { name: lower.environment.name } },
  ]);
  const { id: promotionId } = await app.seed.approved(release, lower.environment);
  const launch = (overrides: object = {}) => app.module.deployments.launch(operator, { promotionId, ...overrides });
  const unacknowledged = [{ deployment: id, environment: upper.environment.name, state: 'failed' }];
  await assert.rejects(launch(), refusal('RES_CONFLICT', { unacknowledged }));
  const { id: deployment } = await launch({ acknowledgeOutcomes: [id] });
  const [launched] = await app.rows(
    trail,
    sql`select data from kernel.events where type = 'deployment.launch' and entity_id = ${deployment}`,
  );
  assert.match(JSON.stringify(launched), new RegExp(`"acknowledgedOutcomes":.*${id}`));
});

test('an approval of digests that were rolled back asks for an acknowledgement', async () => {
  await using app = await deployingApp();
  const scenario = await rollbackScenarioOf(app, { requiredApprovals: 1 });
  await scenario.deploy();
  const { release, id } = await scenario.deploy();
  await scenario.rollBack();
  const { id: promotion, gatedDigestSet } = await app.seed.promotion(release, scenario.environment);
  const approve = (overrides: object = {}) =>
    app.module.promotions.approve(app.caller('approver'), {
      id: promotion,
      seenGatedDigestSet: gatedDigestSet,
      ...overrides,
    });
  const unacknowledged = [{ deployment: id, environment: scenario.environment.name, state: 'rolled_back' }];
  await assert.rejects(approve(), refusal('RES_CONFLICT', { unacknowledged }));
  assert.equal((await approve({ acknowledgeOutcomes: [id] })).state, 'approved');
});

test('a retry of digests that were rolled back elsewhere meanwhile asks about that, and not about its own failure', async () => {
  await using app = await deployingApp();
  const operator = app.caller('operator');
  const staging = await rollbackScenarioOf(app);
  const production = await rollbackScenarioOf(app);
  await staging.deploy();
  const { release, id: undoneDeployment } = await staging.deploy();
  const { id } = await app.launch((await app.seed.approved(release, production.environment)).id);
  await production.answer(unreachable);
  await staging.rollBack();
  const retry = (overrides: object = {}) => app.module.deployments.retry(operator, { id, ...overrides });
  const unacknowledged = [
    { deployment: undoneDeployment, environment: staging.environment.name, state: 'rolled_back' },
  ];
  for (const more of [{}, { acknowledgeOutcomes: [id] }])
    await assert.rejects(retry(more), refusal('RES_CONFLICT', { unacknowledged }));
  const { data, errors } = await app.graph(
    'mutation ($input: RetryDeploymentInput!) { retryDeployment(input: $input) { id retryOf { id } } }',
    { input: { id, acknowledgeOutcomes: [undoneDeployment] } },
  );
  assert.equal(errors, undefined);
  const { retryDeployment } = JSON.parse(JSON.stringify(data));
  assert.deepEqual(retryDeployment.retryOf, { id });
  const [stored] = await app.rows(
    trail,
    sql`select data from kernel.events where type = 'deployment.retry' and entity_id = ${retryDeployment.id}`,
  );
  assert.partialDeepStrictEqual(stored?.data, { acknowledgedOutcomes: unacknowledged });
});

test('digests that landed since in the same environment, and those of another release, are not asked about', async () => {
  await using app = await deployingApp();
  const operator = app.caller('operator');
  const lower = await rollbackScenarioOf(app);
  const upper = await rollbackScenarioOf(app);
  const { release, id } = await lower.deploy(failed);
  const repeated = await app.seed.approved(release, lower.environment);
  await app.module.deployments.launch(operator, { promotionId: repeated.id, acknowledgeOutcomes: [id] });
  await lower.answer(landedAt);
  await app.launch((await app.seed.approved(release, upper.environment)).id);
  await upper.answer(landedAt);
  assert.partialDeepStrictEqual(await outcomesOf(app, release.id), [{ state: 'LANDED' }, { state: 'LANDED' }]);
  await lower.deploy();
});
