import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Environment } from '../../catalogue/environments/environment.ts';
import type { Release } from '../../catalogue/releases/release.ts';
import { rollbackScenario } from '../../running/rollback/rollback.fixture.ts';
import { type CatalogueApp, catalogueApp, refusal } from '../../testing/catalogue-app.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Creates a product with a path dev, prod, whose deployments to prod end in given states. */
const productApp = async (app: CatalogueApp) => {
  const dev = await app.seed.environment({ name: 'dev' });
  const prod = await app.seed.environment({ name: 'prod' });
  const [first] = [await app.seed.ready()];
  const { id } = await app.module.products.get(app.caller('operator'), { id: first.productId });
  const deploy = async (
    release: Release,
    to: Environment,
    state = 'completed',
    landing: string | null = 'verified',
  ) => {
    if (to === prod) await app.force.landing(release, dev);
    await app.force.landing(release, to);
    if (state !== 'completed' || landing !== 'verified') await app.force.outcome(release.id, to.id, state, landing);
  };
  const measure = async (days = 30) => {
    const { lastSteps, ...metrics } = await app.module.delivery.measure(app.caller('viewer'), { id, days });
    return { ...metrics, where: lastSteps };
  };
  return { id, dev, prod, first, deploy, measure, pass: (ms: number) => app.clock.advance(ms) };
};

test('a product that nothing of has been deployed has counts of zero and no times', async () => {
  await using app = await catalogueApp();
  const { measure, prod } = await productApp(app);
  assert.deepEqual(await measure(), {
    days: 30,
    where: [prod.id],
    deployments: 0,
    landings: 0,
    leadTimeSeconds: null,
    changes: 0,
    failedChanges: 0,
    restored: 0,
    unrestored: 0,
    timeToRestoreSeconds: null,
  });
});

test('the lead time is that from the creation of a release to its first verified landing in the last step', async () => {
  await using app = await catalogueApp();
  const { dev, prod, first, deploy, measure, pass } = await productApp(app);
  await deploy(first, dev);
  assert.equal((await measure()).deployments, 0);
  await pass(10 * MINUTE_MS);
  await deploy(first, prod);
  await pass(MINUTE_MS);
  const second = await app.seed.ready();
  await pass(20 * MINUTE_MS);
  await deploy(second, prod);
  const { deployments, landings, leadTimeSeconds } = await measure();
  assert.deepEqual([deployments, landings, leadTimeSeconds], [2, 2, 15 * 60]);
});

test('a change that failed or was rolled back counts, and failures up to the same landing are restored once', async () => {
  await using app = await catalogueApp();
  const { prod, first, deploy, measure, pass } = await productApp(app);
  await deploy(first, prod);
  await pass(MINUTE_MS);
  await deploy(await app.seed.ready(), prod, 'rolled_back');
  await pass(5 * MINUTE_MS);
  await deploy(await app.seed.ready(), prod, 'failed', null);
  assert.equal((await measure()).unrestored, 1);
  await pass(25 * MINUTE_MS);
  await deploy(await app.seed.ready(), prod);
  await deploy(await app.seed.ready(), prod, 'cancelled', null);
  const { changes, failedChanges, restored, unrestored, timeToRestoreSeconds } = await measure();
  assert.deepEqual([changes, failedChanges, restored, unrestored, timeToRestoreSeconds], [4, 2, 1, 0, 30 * 60]);
});

test('the time to restore what had landed begins with its rollback', async () => {
  await using scenario = await rollbackScenario();
  const { productId } = await scenario.deploy();
  await scenario.clock.advance(MINUTE_MS);
  await scenario.deploy();
  await scenario.clock.advance(10 * MINUTE_MS);
  const { id } = await scenario.ask();
  await scenario.clock.advance(2 * MINUTE_MS);
  await scenario.answer();
  assert.equal((await scenario.read(id)).state, 'completed');
  const { restored, timeToRestoreSeconds } = await scenario.module.delivery.measure(scenario.caller('viewer'), {
    id: productId,
  });
  assert.deepEqual([restored, timeToRestoreSeconds], [1, 120]);
});

test('the last steps are environments with settings of their own, not with those of the path', async () => {
  await using app = await catalogueApp();
  const { id, prod } = await productApp(app);
  await app.module.products.setPath(app.caller('operator'), {
    id,
    expectedVersion: 1,
    steps: [{ environmentId: prod.id, after: [], policy: { requiredApprovals: 7 } }],
  });
  const { data, errors } = await app.graph(
    'query ($id: ID!) { product(id: $id) { delivery { lastSteps { id requiredApprovals } } } }',
    { id },
  );
  assert.equal(errors, undefined);
  assert.deepEqual(JSON.parse(JSON.stringify(data)).product.delivery.lastSteps, [
    { id: prod.id, requiredApprovals: prod.requiredApprovals },
  ]);
});

test('only what ended within the days is measured', async () => {
  await using app = await catalogueApp();
  const { prod, first, deploy, measure, pass } = await productApp(app);
  await deploy(first, prod);
  await pass(8 * DAY_MS);
  assert.equal((await measure(7)).deployments, 0);
  assert.equal((await measure(30)).deployments, 1);
});

test('the delivery of a product of another tenant is not found', async () => {
  await using app = await catalogueApp();
  const { id } = await productApp(app);
  await assert.rejects(app.module.delivery.measure(app.caller('other-tenant'), { id }), refusal('RES_NOT_FOUND'));
});
