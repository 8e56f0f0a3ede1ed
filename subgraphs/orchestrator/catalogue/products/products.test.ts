import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, toTenantId } from '@landfall/kernel/core/ids';
import { refusal } from '../../testing/catalogue-app.ts';
import { completeAllTasks, failing } from '../../testing/complete-tasks.ts';
import { deployingApp, landedAt } from '../../testing/deploying-app.ts';
import type { Environment } from '../environments/environments.store.ts';
import type { Release } from '../releases/releases.store.ts';
import * as store from './products.store.ts';

const app = await deployingApp();
after(() => app[Symbol.asyncDispose]());

const { products, releases, promotions, deployments, targets, environments, estate } = app.module;
const operator = app.caller('operator');
const approver = app.caller('approver');
const viewer = app.caller('viewer');
const agent = await app.register();

let count = 0;

interface Step {
  readonly environmentId: string;
  readonly [setting: string]: unknown;
}

const setPath = async (id: string, steps: readonly Step[] | null): Promise<store.Product> => {
  const { version: expectedVersion } = await products.get(viewer, { id });
  return products.setPath(operator, { id, expectedVersion, steps });
};

/** Creates a product with a path of its own, so that the environments of other tests are none of its steps. */
const productOf = async (steps: readonly Step[], overrides: object = {}): Promise<store.Product> => {
  count += 1;
  const { id } = await products.create(operator, { name: `product-${count}`, ...overrides });
  return setPath(id, steps);
};

const environmentOf = (overrides: object = {}): Promise<Environment> =>
  app.seed.environment({ requiredApprovals: 0, ...overrides });

const readyOf = ({ name }: store.Product): Promise<Release> => app.seed.ready({ name });

/** Deploys a release; its targets end in the given state, verified by default. */
const deploy = async (release: Release, environment: Environment, ends?: Parameters<typeof completeAllTasks>[2]) => {
  const { id } = await app.seed.promotion(release, environment);
  const deployment = await app.launch(id);
  await completeAllTasks(app, agent, ends);
  return deployment;
};

const fieldsOf = async (promise: Promise<unknown>): Promise<string[]> => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof Fault, String(error));
  return error.fields.map(({ field }) => field);
};

test('a product is created once by its name, changed in the version that was read, and listed by owner and labels', async () => {
  const eu = [{ name: 'region', value: 'eu' }];
  const web = { name: 'web', repository: 'registry.example/shop/web' };
  const created = await products.create(operator, {
    name: 'billing',
    description: 'Invoices.',
    ownerGroups: ['payments'],
    labels: eu,
    components: [web, { ...web, name: 'api', required: false }],
  });
  assert.deepEqual(
    [created.labels, created.components, created.hasOwnPath, created.version],
    [
      { region: 'eu' },
      [
        { ...web, required: true },
        { ...web, name: 'api', required: false },
      ],
      false,
      1,
    ],
  );
  await assert.rejects(
    products.create(operator, { name: 'billing' }),
    refusal('RES_ALREADY_EXISTS', { name: 'billing' }),
  );
  assert.deepEqual(await fieldsOf(products.create(operator, { name: 'twice', components: [web, web] })), [
    'components.1.name',
  ]);
  const wrong = { name: '!', labels: [{ name: 'a b', value: '' }], components: [{ name: 'WEB', repository: '' }] };
  assert.deepEqual((await fieldsOf(products.create(operator, wrong))).toSorted(), [
    'components.0.name',
    'components.0.repository',
    'labels.0.name',
    'labels.0.value',
    'name',
  ]);
  await assert.rejects(products.create(viewer, { name: 'mine' }), refusal('PERM_SCOPE_DENIED'));

  const change = { id: created.id, expectedVersion: 1, labels: [], components: null };
  const changed = await products.update(operator, change);
  assert.deepEqual(changed, { ...created, labels: {}, components: null, version: 2 });
  await assert.rejects(products.update(operator, change), refusal('RES_VERSION_CONFLICT', { expected: 1, actual: 2 }));
  for (const otherCaller of [app.caller('other-tenant')]) {
    await assert.rejects(products.get(otherCaller, { id: created.id }), refusal('RES_NOT_FOUND'));
    await assert.rejects(products.update(otherCaller, change), refusal('RES_NOT_FOUND'));
    assert.deepEqual(await products.list(otherCaller, {}), []);
    await products.create(otherCaller, { name: 'billing' });
  }
  const second = await products.create(operator, { name: 'archive', ownerGroups: ['payments'], labels: eu });
  const listed = async (filter: object) => (await products.list(viewer, filter)).map(({ id }) => id);
  assert.deepEqual(await listed({ ownerGroup: 'payments' }), [second.id, created.id]);
  assert.deepEqual(await listed({ ownerGroup: 'payments', labels: eu }), [second.id]);
  assert.deepEqual(await listed({ ownerGroup: 'payments', first: 1, after: 'archive' }), [created.id]);
});

// spec: 7.2/ENV_CIRCULAR_PROMOTION
test('a path that leads in a circle, nowhere, or past the policy of an environment is refused with where', async () => {
  const [dev, prod] = [
    await environmentOf(),
    await environmentOf({ requiredApprovals: 2, separationOfDuties: 'author' }),
  ];
  const product = await productOf([{ environmentId: dev.id }]);
  const refused = async (...steps: readonly Step[]) => fieldsOf(setPath(product.id, steps));
  const [one, two] = [{ environmentId: dev.id }, { environmentId: prod.id, after: [dev.id] }];

  const cyclic = [{ ...one, after: [prod.id] }, two];
  const expected = refusal('ENV_CIRCULAR_PROMOTION', { cycle: [dev.id, prod.id] });
  await assert.rejects(setPath(product.id, cyclic), expected);
  await assert.rejects(setPath(product.id, cyclic), new RegExp(`${dev.name} after ${prod.name} after ${dev.name}`));
  await assert.rejects(setPath(product.id, [{ ...one, after: [dev.id] }]), refusal('ENV_CIRCULAR_PROMOTION'));
  const other = { environmentId: exampleId('Environment') };
  await assert.rejects(setPath(product.id, [other]), refusal('RES_ENVIRONMENT_NOT_FOUND'));
  assert.deepEqual(await refused(one, one), ['steps.1.environmentId']);
  assert.deepEqual(await refused(two), ['steps.0.after.0']);
  assert.deepEqual(await refused(), ['steps']);
  const relaxed = { requiredApprovals: 1, separationOfDuties: 'off' };
  assert.deepEqual(await refused(one, { ...two, policy: relaxed }), [
    'steps.1.policy.requiredApprovals',
    'steps.1.policy.separationOfDuties',
  ]);
  await assert.rejects(
    products.setPath(operator, { id: product.id, expectedVersion: 9, steps: null }),
    refusal('RES_VERSION_CONFLICT'),
  );
  await assert.rejects(
    products.setPath(viewer, { id: product.id, expectedVersion: 9, steps: null }),
    refusal('PERM_SCOPE_DENIED'),
  );
  const { hasOwnPath } = await setPath(product.id, [one, { ...two, policy: { ...relaxed, relaxes: true } }]);
  assert.equal(hasOwnPath, true);
  assert.equal((await setPath(product.id, null)).hasOwnPath, false);
});

test('a release has the components that its product declares, and the first release of a name makes its product', async () => {
  const repository = app.registry.repository('shop/web');
  const declared = { name: 'web', repository };
  const product = await productOf([{ environmentId: (await environmentOf()).id }], {
    components: [declared, { name: 'api', repository, required: false }],
  });
  const create = (...components: readonly object[]) =>
    releases.create(operator, { name: product.name, semver: `2.0.${components.length}`, components });
  const other = app.registry.repository('other/web');
  assert.deepEqual(await fieldsOf(create({ ...declared, tag: '1' }, { name: 'cache', repository, tag: '1' })), [
    'components.1.name',
  ]);
  assert.deepEqual(await fieldsOf(create({ name: 'web', repository: other, tag: '1' })), ['components.0.repository']);
  const draft = await create({ name: 'api', repository, tag: '1' });
  const input = { releaseId: draft.id, expectedVersion: draft.version };
  const add = (component: object) => releases.addComponent(operator, { ...input, component });
  assert.deepEqual(await fieldsOf(add({ name: 'cache', repository, tag: '1' })), ['component.name']);
  const finalize = () => releases.finalize(operator, { id: draft.id, expectedVersion: draft.version });
  await assert.rejects(finalize(), refusal('REL_COMPONENT_MISSING', { missing: ['web'] }));
  const { id, version: expectedVersion } = await products.get(viewer, { id: product.id });
  await products.update(operator, { id, expectedVersion, components: [declared] });
  await assert.rejects(finalize(), refusal('REL_COMPONENT_MISSING'));
  await products.update(operator, {
    id,
    expectedVersion: expectedVersion + 1,
    components: [{ ...declared, required: false }],
  });
  assert.deepEqual(await fieldsOf(finalize()), ['components.0.name']);

  const first = await app.seed.draft({ name: 'unheard of' });
  const created = await products.get(viewer, { id: first.productId });
  assert.deepEqual([created.name, created.components, created.hasOwnPath], ['unheard of', null, false]);
  const second = await app.seed.draft({ name: 'unheard of' });
  assert.equal(second.productId, created.id);
});

test('a step without a target, and a selector that matches none, are told by preflight and refused at launch', async () => {
  const environment = await environmentOf();
  const target = await app.seed.target(environment, agent, { labels: [{ name: 'region', value: 'us' }] });
  const product = await productOf([{ environmentId: environment.id, targetLabels: [{ name: 'region', value: 'eu' }] }]);
  const release = await readyOf(product);
  const { id: promotionId } = await app.seed.promotion(release, environment);
  const { checks, armed } = await deployments.preflight(viewer, {
    releaseId: release.id,
    environmentId: environment.id,
  });
  const check = checks.find(({ key }) => key === 'target-ready');
  assert.deepEqual([armed, check?.status, check?.anatomy?.category], [false, 'fail', 'NoTargetsEnrolled']);
  await assert.rejects(app.launch(promotionId), refusal('DEPLOY_NO_TARGETS'));
  assert.equal((await targets.get(viewer, { id: target.id })).productId, null);
  await targets.update(operator, {
    id: target.id,
    expectedVersion: target.version,
    labels: [
      { name: 'region', value: 'eu' },
      { name: 'ring', value: '1' },
    ],
  });
  await app.launch(promotionId);
  await completeAllTasks(app, agent);
  assert.equal((await targets.get(viewer, { id: target.id })).productId, product.id);
});

// spec: 7.2/DEPLOY_NO_TARGETS
test('two products with the same component share an environment, and neither takes the place of the other', async () => {
  const environment = await environmentOf();
  const step = { environmentId: environment.id };
  const [shop, pay] = [await productOf([step]), await productOf([step])];
  const free = await app.seed.target(environment, agent);
  const one = await readyOf(shop);
  const [component] = one.components;
  assert.ok(component);
  // The same image: its gated digest set is the same too.
  const components = [{ name: component.name, repository: component.repository, tag: component.requestedTag }];
  const same = await app.seed.ready({ name: pay.name, components });
  assert.equal(same.gatedDigestSet, one.gatedDigestSet);

  const failed = await deploy(one, environment, failing);
  const { id: waiting } = await app.seed.promotion(same, environment);
  await assert.rejects(app.launch(waiting), refusal('DEPLOY_NO_TARGETS'));
  const own = await app.seed.target(environment, agent, { productId: pay.id });
  // Both at the same time; an outcome of the one product needs no acknowledgement for the other.
  const { id: repeated } = await app.seed.promotion(one, environment);
  await deployments.launch(operator, { promotionId: repeated, acknowledgeOutcomes: [failed.id] });
  await app.launch(waiting);
  const next = await readyOf(shop);
  const { id: third } = await app.seed.promotion(next, environment);
  await assert.rejects(app.launch(third), refusal('DEPLOY_IN_PROGRESS'));
  await completeAllTasks(app, agent);
  const stateOf = async (id: string) => (await promotions.get(viewer, { id })).state;
  assert.deepEqual([await stateOf(repeated), await stateOf(waiting)], ['deployed', 'deployed']);
  await app.launch(third);
  await completeAllTasks(app, agent);
  assert.deepEqual(
    [await stateOf(repeated), await stateOf(third), await stateOf(waiting)],
    ['superseded', 'deployed', 'deployed'],
  );
  const ofTargets = await targets.list(viewer, { environmentId: environment.id });
  assert.deepEqual(
    new Map(ofTargets.map(({ id, productId }) => [id, productId])),
    new Map([
      [free.id, shop.id],
      [own.id, pay.id],
    ]),
  );

  const back = { environmentId: environment.id, reason: 'Checkout answers 500 since noon.' };
  assert.deepEqual(await fieldsOf(deployments.rollback(operator, back)), ['productId']);
  await assert.rejects(
    deployments.rollback(operator, { ...back, productId: pay.id }),
    refusal('DEPLOY_NOTHING_TO_ROLLBACK'),
  );
  await deployments.rollback(operator, { ...back, productId: shop.id });
  await app.module.runOnce.runner();
  await completeAllTasks(app, agent);
  assert.deepEqual([await stateOf(repeated), await stateOf(waiting)], ['deployed', 'deployed']);

  await app.beat(agent);
  const { data, errors } = await app.graph(
    `query ($id: ID!) {
      environment(id: $id) { products { product { id } currentDeployment { release { id } } state } }
      environmentMatrix { rows { product { id } component cells { environment { id } release { id } state targets } } } }`,
    { id: environment.id },
  );
  assert.equal(errors, undefined);
  const answer = JSON.parse(JSON.stringify(data));
  const [first, second] = [
    [shop, one],
    [pay, same],
  ] as const;
  assert.deepEqual(
    answer.environment.products,
    [first, second].map(([product, release]) => ({
      product: { id: product.id },
      currentDeployment: { release: { id: release.id } },
      state: 'IN_SYNC',
    })),
  );
  for (const [product, release] of [first, second]) {
    const row = answer.environmentMatrix.rows.find(
      (each: { product: { id: string } }) => each.product.id === product.id,
    );
    const cell = row.cells.find((each: { environment: { id: string } }) => each.environment.id === environment.id);
    assert.partialDeepStrictEqual(cell, { release: { id: release.id }, state: 'IN_SYNC', targets: 1 });
  }
  const { items } = await estate.drift(viewer, {
    first: 200,
    filter: { environmentId: environment.id, state: 'in_sync' },
  });
  assert.deepEqual(items.map(({ targetId }) => targetId).toSorted(), [free.id, own.id].toSorted());
});

test('approvals follow the stricter of environment and step, or the step where it relaxes', async () => {
  const strict = { requiredApprovals: 2, separationOfDuties: 'author' };
  const [plain, guarded] = [await environmentOf(), await environmentOf({ requiredApprovals: 1 })];
  const shop = await productOf([
    { environmentId: plain.id, policy: strict },
    { environmentId: guarded.id, policy: { requiredApprovals: 0, relaxes: true } },
  ]);
  const release = await readyOf(shop);
  const { id, approvalsNeeded, gatedDigestSet } = await app.seed.promotion(release, plain);
  assert.equal(approvalsNeeded, 2);
  assert.equal((await app.seed.promotion(release, guarded)).state, 'approved');
  const approve = (by: typeof operator, promotion = id) =>
    promotions.approve(by, { id: promotion, seenGatedDigestSet: gatedDigestSet });
  assert.equal((await approve(approver)).state, 'pending');
  assert.equal((await approve(app.caller('second-approver'))).state, 'approved');
  const byApprover = await promotions.request(approver, {
    releaseId: (await readyOf(shop)).id,
    targetEnvironmentId: plain.id,
    reason: 'Ship it.',
  });
  // The operator created the release, so that the environment's policy alone would allow the approval.
  await assert.rejects(
    promotions.approve(operator, { id: byApprover.id, seenGatedDigestSet: byApprover.gatedDigestSet }),
    refusal('PERM_SOD_VIOLATION'),
  );

  const other = await productOf([{ environmentId: guarded.id, policy: { requiredApprovals: 1 } }]);
  const change = { id: guarded.id, expectedVersion: guarded.version, requiredApprovals: 3 };
  await environments.update(operator, change);
  assert.equal((await app.seed.promotion(await readyOf(other), guarded)).approvalsNeeded, 3);
  assert.equal((await app.seed.promotion(await readyOf(shop), guarded)).approvalsNeeded, 0);
});

// spec: 7.2/PROM_SKIP_ENVIRONMENT
test('regions after the same step are deployed to at once, and what comes after any of them waits for one', async () => {
  const [dev, eu, us, last] = [
    await environmentOf(),
    await environmentOf(),
    await environmentOf(),
    await environmentOf(),
  ] as const;
  await app.seed.target(dev, agent);
  await app.seed.target(eu, agent);
  const landing = await app.seed.target(us, agent);
  const regions = [eu, us].map(({ id }) => ({ environmentId: id, after: [dev.id] }));
  const ending = { environmentId: last.id, after: [eu.id, us.id] };
  const shop = await productOf([{ environmentId: dev.id }, ...regions, { ...ending, need: 'any' }]);
  const release = await readyOf(shop);
  const skipping = (...environment: readonly Environment[]) =>
    refusal('PROM_SKIP_ENVIRONMENT', { skipped: environment.map(({ id }) => id) });
  await assert.rejects(app.seed.promotion(release, us), skipping(dev));
  await deploy(release, dev);
  for (const region of [eu, us]) await app.launch((await app.seed.promotion(release, region)).id);
  await assert.rejects(app.seed.promotion(release, last), skipping(eu, us));
  await assert.rejects(app.seed.promotion(release, last), /any of/);
  const finished = await completeAllTasks(app, agent, (assignment) =>
    assignment.task.targetId === landing.id ? landedAt(assignment) : failing(),
  );
  assert.equal(finished.length, 2);
  assert.equal((await app.seed.promotion(release, last)).sourceEnvironmentId, us.id);
  await setPath(shop.id, [{ environmentId: dev.id }, ...regions, { ...ending, need: 'all' }]);
  const { id: open } = await promotions
    .list(viewer, { filter: { environmentId: last.id } })
    .then(({ items: [first] }) => first ?? { id: '' });
  await promotions.cancel(operator, { id: open, reason: 'The path needs both regions.' });
  await assert.rejects(app.seed.promotion(release, last), skipping(eu));
});

test('a launch asks the path as it is now, and a rollback goes to every target of the product whatever its labels', async () => {
  const [dev, prod] = [await environmentOf({ requiredApprovals: 0 }), await environmentOf({ requiredApprovals: 0 })];
  const shop = await productOf([{ environmentId: prod.id }]);
  const first = await app.seed.target(prod, agent, { labels: [{ name: 'region', value: 'eu' }] });
  const second = await app.seed.target(prod, agent, { labels: [{ name: 'region', value: 'us' }] });
  await deploy(await readyOf(shop), prod);
  await deploy(await readyOf(shop), prod);
  const { id: promotionId } = await app.seed.approved(await readyOf(shop), prod);
  const eu = [{ name: 'region', value: 'eu' }];
  await setPath(shop.id, [{ environmentId: dev.id }, { environmentId: prod.id, after: [dev.id], targetLabels: eu }]);
  await assert.rejects(
    deployments.launch(operator, { promotionId }),
    refusal('PROM_SKIP_ENVIRONMENT', { skipped: [dev.id] }),
  );
  const reason = 'Checkout answers 500 since noon.';
  const { id } = await deployments.rollback(operator, { environmentId: prod.id, productId: shop.id, reason });
  await app.module.runOnce.runner();
  const rollback = await deployments.get(viewer, { id });
  assert.deepEqual(rollback.targets.map(({ targetId }) => targetId).toSorted(), [first.id, second.id].toSorted());
  await completeAllTasks(app, agent);
  assert.equal((await deployments.get(viewer, { id })).state, 'completed');
});

test('a target that carries something is moved to no other product, and a product with targets is not removed', async () => {
  const environment = await environmentOf({ requiredApprovals: 1 });
  const step = { environmentId: environment.id };
  const [shop, pay] = [await productOf([step]), await productOf([step])];
  const release = await readyOf(shop);
  const target = await app.seed.target(environment, agent);
  const move = async (productId: string | null) => {
    const { id, version: expectedVersion } = await targets.get(viewer, { id: target.id });
    return targets.update(operator, { id, expectedVersion, productId });
  };
  const remove = async ({ id }: store.Product) => {
    const { version: expectedVersion } = await products.get(viewer, { id });
    return products.remove(operator, { id, expectedVersion });
  };
  assert.equal((await move(pay.id)).productId, pay.id);
  await assert.rejects(remove(pay), refusal('RES_CONFLICT', { targets: [{ id: target.id, name: target.name }] }));
  await assert.rejects(move(exampleId('Product')), refusal('RES_NOT_FOUND'));
  assert.equal((await move(null)).productId, null);

  const { id } = await app.seed.approved(release, environment);
  await app.launch(id);
  await assert.rejects(move(pay.id), refusal('RES_CONFLICT'));
  await completeAllTasks(app, agent);
  for (const productId of [pay.id, null])
    await assert.rejects(move(productId), refusal('RES_CONFLICT', { productId: shop.id }));

  const { id: approved } = await app.seed.approved(await readyOf(pay), environment);
  const removed = await remove(pay);
  await assert.rejects(products.get(viewer, { id: removed.id }), refusal('RES_NOT_FOUND'));
  await app.seed.target(environment, agent);
  // The approved release cannot be launched: its product has no path.
  await assert.rejects(app.launch(approved), refusal('PROM_SKIP_ENVIRONMENT'));
  assert.notEqual((await app.seed.draft({ name: pay.name })).productId, pay.id);

  // An environment that is removed from the path gets no further launches, and its running release can still be rolled
  // back.
  const newer = await readyOf(shop);
  await app.launch((await app.seed.approved(newer, environment)).id);
  await completeAllTasks(app, agent);
  const { id: delayed } = await app.seed.approved(await readyOf(shop), environment);
  await setPath(shop.id, [{ environmentId: (await environmentOf()).id }]);
  await assert.rejects(app.launch(delayed), refusal('PROM_SKIP_ENVIRONMENT'));
  const { data } = await app.graph('query ($id: ID!) { promotion(id: $id) { viewerCanLaunch { allowed code } } }', {
    id: delayed,
  });
  assert.deepEqual(JSON.parse(JSON.stringify(data)), {
    promotion: { viewerCanLaunch: { allowed: false, code: 'PROM_SKIP_ENVIRONMENT' } },
  });
  const free = await app.seed.target(environment, agent);
  const input = { environmentId: environment.id, productId: shop.id, reason: 'Checkout answers 500 since noon.' };
  await deployments.rollback(operator, input);
  await app.module.runOnce.runner();
  await completeAllTasks(app, agent);
  assert.equal((await promotions.get(viewer, { id })).state, 'deployed');
  assert.equal((await targets.get(viewer, { id: free.id })).productId, null);
});

test('of two products that are deployed to a free target at once, one gets it', async () => {
  const environment = await environmentOf();
  const step = { environmentId: environment.id };
  const both = [await productOf([step]), await productOf([step])];
  const promoted = [];
  for (const product of both) promoted.push(await app.seed.promotion(await readyOf(product), environment));
  const target = await app.seed.target(environment, agent);
  const launches = await Promise.allSettled(
    promoted.map(({ id: promotionId }) => deployments.launch(operator, { promotionId })),
  );
  const won = launches.findIndex(({ status }) => status === 'fulfilled');
  const lost = launches.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  assert.equal(lost.length, 1);
  assert.ok(refusal('DEPLOY_NO_TARGETS')(lost[0]), String(lost[0]));
  assert.equal((await targets.get(viewer, { id: target.id })).productId, both[won]?.id);
  await app.module.runOnce.runner();
  await completeAllTasks(app, agent);
});

test('a launch and a target that lose to the removal of their product leave it without targets', async (t) => {
  const environment = await environmentOf();
  const product = await productOf([{ environmentId: environment.id }]);
  const { id: promotionId } = await app.seed.promotion(await readyOf(product), environment);
  await app.seed.target(environment, agent);
  const acme = toTenantId('acme');
  const [removed, waiting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const removal = app.deps.database.write(acme, async (tx) => {
    await store.getLocked(tx, acme, product.id);
    await store.remove(tx, acme, product.id, 'operator');
    removed.resolve();
    await waiting.promise;
  });
  await removed.promise;
  app.statements.length = 0;
  const losers = [
    assert.rejects(deployments.launch(operator, { promotionId }), refusal('DEPLOY_NO_TARGETS')),
    assert.rejects(app.seed.target(environment, agent, { productId: product.id }), refusal('RES_NOT_FOUND')),
  ];
  const locks = () => app.statements.filter((name) => name === 'orchestrator.products.lock');
  await t.waitFor(() => assert.equal(locks().length, 2), { timeout: 10_000 });
  waiting.resolve();
  await Promise.all([removal, ...losers]);
  const remaining = await app.deps.database.read(acme, (query) => store.listTargets(query, acme, product.id));
  assert.deepEqual(remaining, []);
});

test('no operation on products failed in a way that nobody expected', () => assert.deepEqual(app.bugs, []));
