import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { refusal } from '../../testing/catalogue-app.ts';
import { completeAllTasks } from '../../testing/complete-tasks.ts';
import { deployingApp, failedAt } from '../../testing/deploying-app.ts';

const app = await deployingApp();
after(() => app[Symbol.asyncDispose]());

const { deployments, environments, products, promotions } = app.module;
const operator = app.caller('operator');
const agent = await app.register();

let count = 0;

/** Environment with two products that have a target and a ready release each. */
const shared = async (overrides: object) => {
  const environment = await app.seed.environment({ requiredApprovals: 0, ...overrides });
  const both = [];
  for (const name of ['shop', 'pay']) {
    count += 1;
    const product = await products.create(operator, { name: `${name}-${count}` });
    await products.setPath(operator, {
      id: product.id,
      expectedVersion: product.version,
      steps: [{ environmentId: environment.id, after: [] }],
    });
    await app.seed.target(environment, agent, { productId: product.id });
    both.push({ product, release: await app.seed.ready({ name: product.name }) });
  }
  const [shop, pay] = both;
  assert.ok(shop && pay);
  return { environment, shop, pay };
};

type Shared = Awaited<ReturnType<typeof shared>>;

const setExclusive = async ({ environment: { id } }: Shared, isExclusive: boolean) => {
  const { version: expectedVersion } = await environments.get(operator, { id });
  return environments.update(operator, { id, expectedVersion, isExclusive });
};

const request = ({ environment }: Shared, { release }: Shared['shop']) => app.seed.promotion(release, environment);

test('an exclusive environment takes the promotions of one product at a time', async () => {
  const scenario = await shared({ isExclusive: true });
  const { id } = await request(scenario, scenario.shop);
  const { environment, shop, pay } = scenario;
  await assert.rejects(
    request(scenario, pay),
    refusal('PROM_ALREADY_EXISTS', { environment: environment.id, product: shop.product.id, promotion: id }),
  );
  const { data } = await app.graph(
    'query ($id: ID!) { release(id: $id) { landscape { viewerCanRequest { code } } } }',
    { id: pay.release.id },
  );
  assert.deepEqual(JSON.parse(JSON.stringify(data)), {
    release: { landscape: [{ viewerCanRequest: { code: 'PROM_ALREADY_EXISTS' } }] },
  });
  await app.launch(id);
  await completeAllTasks(app, agent);
  assert.equal((await request(scenario, pay)).state, 'approved');
});

test('an environment that becomes exclusive deploys and rolls back one product at a time', async () => {
  const scenario = await shared({});
  const first = await request(scenario, scenario.pay);
  await app.launch(first.id);
  await completeAllTasks(app, agent);
  const next = { ...scenario.pay, release: await app.seed.ready({ name: scenario.pay.product.name }) };
  await app.launch((await request(scenario, next)).id);
  await completeAllTasks(app, agent);
  const own = await request(scenario, scenario.shop);
  const third = { ...scenario.pay, release: await app.seed.ready({ name: scenario.pay.product.name }) };
  const other = await request(scenario, third);
  await setExclusive(scenario, true);
  const running = await app.launch(own.id);
  const details = {
    environmentId: scenario.environment.id,
    deploymentId: running.id,
    productId: scenario.shop.product.id,
  };
  await assert.rejects(deployments.launch(operator, { promotionId: other.id }), refusal('DEPLOY_IN_PROGRESS', details));
  const back = {
    environmentId: scenario.environment.id,
    productId: scenario.pay.product.id,
    reason: 'Checkout fails.',
  };
  await assert.rejects(deployments.rollback(operator, back), refusal('DEPLOY_IN_PROGRESS', details));
  await setExclusive(scenario, false);
  await deployments.rollback(operator, back);
  await app.module.runOnce.runner();
  await completeAllTasks(app, agent);
  assert.equal((await promotions.get(operator, { id: own.id })).state, 'deployed');
});

test('of two products that are launched into an exclusive environment at once, one is deployed', async () => {
  const scenario = await shared({});
  const promoted = [await request(scenario, scenario.shop), await request(scenario, scenario.pay)];
  await setExclusive(scenario, true);
  const launches = await Promise.allSettled(
    promoted.map(({ id: promotionId }) => deployments.launch(operator, { promotionId })),
  );
  const lost = launches.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  assert.equal(lost.length, 1);
  assert.ok(refusal('DEPLOY_IN_PROGRESS')(lost[0]), String(lost[0]));
  await app.module.runOnce.runner();
  await completeAllTasks(app, agent);
});

test('of two products that are requested for an exclusive environment at once, one is promoted', async () => {
  const scenario = await shared({ isExclusive: true });
  const requests = await Promise.allSettled([request(scenario, scenario.shop), request(scenario, scenario.pay)]);
  const lost = requests.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  assert.equal(lost.length, 1);
  assert.ok(refusal('PROM_ALREADY_EXISTS')(lost[0]), String(lost[0]));
});

const button = async (query: string, id: string): Promise<unknown> => {
  const { data, errors } = await app.graph(query, { id });
  assert.equal(errors, undefined);
  return JSON.parse(JSON.stringify(data));
};

test('a retry is a promotion of its own, which another product’s promotion to an exclusive environment refuses', async () => {
  const scenario = await shared({ isExclusive: true });
  const failed = await app.launch((await request(scenario, scenario.shop)).id);
  await completeAllTasks(app, agent, () => failedAt('registry-unreachable', 'connection refused'));
  const { id: otherPromotion } = await request(scenario, scenario.pay);
  await assert.rejects(
    deployments.retry(operator, { id: failed.id }),
    refusal('PROM_ALREADY_EXISTS', { environment: scenario.environment.id, promotion: otherPromotion }),
  );
  const mayRetry = 'query ($id: ID!) { deployment(id: $id) { viewerCanRetry { code } } }';
  assert.deepEqual(await button(mayRetry, failed.id), {
    deployment: { viewerCanRetry: { code: 'PROM_ALREADY_EXISTS' } },
  });
  await promotions.cancel(operator, { id: otherPromotion, reason: 'Not this one.' });
  assert.deepEqual(await button(mayRetry, failed.id), { deployment: { viewerCanRetry: { code: null } } });
  await deployments.retry(operator, { id: failed.id });
  await app.module.runOnce.runner();
  await completeAllTasks(app, agent);
});

test('the button of a launch knows that an exclusive environment is taken', async () => {
  const scenario = await shared({});
  const [first, second] = [await request(scenario, scenario.shop), await request(scenario, scenario.pay)];
  await setExclusive(scenario, true);
  const mayLaunch = 'query ($id: ID!) { promotion(id: $id) { viewerCanLaunch { code } } }';
  assert.deepEqual(await button(mayLaunch, second.id), { promotion: { viewerCanLaunch: { code: null } } });
  await app.launch(first.id);
  assert.deepEqual(await button(mayLaunch, second.id), {
    promotion: { viewerCanLaunch: { code: 'DEPLOY_IN_PROGRESS' } },
  });
  await completeAllTasks(app, agent);
});
