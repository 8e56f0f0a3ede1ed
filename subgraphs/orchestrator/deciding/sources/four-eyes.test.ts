import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { caller, type Person } from '@landfall/kernel/testing/callers';
import { type CatalogueApp, catalogueApp, imageOf, refusal } from '../../testing/catalogue-app.ts';

const MINUTE = 60_000;

let app: CatalogueApp;
let count = 0;
before(async () => {
  app = await catalogueApp();
  await app.seed.environment({ name: 'dev', orderIndex: 0, requiredApprovals: 1, separationOfDuties: 'author' });
});
after(() => app[Symbol.asyncDispose]());

const work = async (): Promise<void> => {
  while ((await app.module.runOnce.sourcePoller()) > 0);
  await app.clock.advance(3 * MINUTE);
  while ((await app.module.runOnce.releaseAssembler()) > 0);
};

/** Product with an image, and a source of it that the approver creates. */
const prepare = async (policy: string) => {
  count += 1;
  const name = `shop-${count}`;
  app.registry.push(`${name}/web`, imageOf(name), '1.0.0');
  const product = await app.module.products.create(app.caller('operator'), {
    name,
    components: [{ name: 'web', repository: app.registry.repository(`${name}/web`) }],
  });
  const source = await app.module.sources.create(app.caller('approver'), {
    productId: product.id,
    component: 'web',
    selection: { range: '*' },
    policy,
  });
  return { name, product, source };
};

const releaseOf = async (productId: string) => {
  const { items } = await app.module.releases.list(app.caller('operator'), { filter: { productId } });
  return items[0] ?? assert.fail('no release');
};

const promotionOf = async (productId: string) => {
  const { id: releaseId } = await releaseOf(productId);
  const { items } = await app.module.promotions.list(app.caller('operator'), { filter: { releaseId } });
  return items[0] ?? assert.fail('no promotion');
};

type Promotion = Awaited<ReturnType<typeof promotionOf>>;

const approve = ({ id, gatedDigestSet }: Promotion, as: Person) =>
  app.module.promotions.approve(app.caller(as), { id, seenGatedDigestSet: gatedDigestSet });

test('a person who created a source does not approve what it requested, and another person does', async () => {
  const { product } = await prepare('request');
  await work();
  const promotion = await promotionOf(product.id);
  await assert.rejects(approve(promotion, 'approver'), refusal('PERM_SELF_APPROVAL'));
  assert.equal((await approve(promotion, 'second-approver')).state, 'approved');
});

test('a person who changed a source does not approve what it requested, also when another person changed it since', async () => {
  const { product, source } = await prepare('request');
  const change = (as: Person, expectedVersion: number) =>
    app.module.sources.update(app.caller(as), { id: source.id, expectedVersion, debounceSeconds: expectedVersion });
  await change('second-approver', 1);
  await change('operator', 2);
  await work();
  const promotion = await promotionOf(product.id);
  for (const person of ['approver', 'second-approver', 'operator'] as const)
    await assert.rejects(approve(promotion, person), refusal('PERM_SELF_APPROVAL'));
});

test('a person who removes a source after its draft is still an author of the release', async () => {
  const { product, source } = await prepare('finalize');
  await work();
  await app.module.sources.remove(app.caller('approver'), { id: source.id, expectedVersion: source.version });
  const release = await releaseOf(product.id);
  const [environment] = await app.module.environments.list(app.caller('operator'), {});
  assert.ok(environment);
  const promotion = await app.seed.promotion(release, environment);
  await assert.rejects(approve(promotion, 'approver'), refusal('PERM_SOD_VIOLATION'));
  assert.equal((await approve(promotion, 'second-approver')).state, 'approved');
});

test('a person who changed a source is an author of a refused draft that is used again', async () => {
  const { name, product, source } = await prepare('finalize');
  while ((await app.module.runOnce.sourcePoller()) > 0);
  app.registry.push(`${name}/web`, imageOf(`${name} moved`), '1.0.0');
  await app.clock.advance(3 * MINUTE);
  while ((await app.module.runOnce.releaseAssembler()) > 0);
  assert.equal((await releaseOf(product.id)).status, 'draft');
  await app.module.sources.update(app.caller('second-approver'), {
    id: source.id,
    expectedVersion: source.version,
    policy: 'draft',
  });
  await work();
  const draft = await releaseOf(product.id);
  for (const person of ['approver', 'second-approver'] as const)
    assert.ok(draft.createdThrough?.includes(app.caller(person).subject), person);
});

test('a person who used a client to create a source does not approve through it what the source requested', async () => {
  const { name, product } = await prepare('request');
  const client = caller({ subject: 'robot', kind: 'client', scopes: ['orch:admin'] });
  const [before] = await app.module.sources.list(app.caller('operator'), { productId: product.id });
  assert.ok(before, name);
  await app.module.sources.update(client, { id: before.id, expectedVersion: before.version, intervalSeconds: 61 });
  await work();
  const promotion = await promotionOf(product.id);
  const through = { ...app.caller('second-approver'), clientId: 'robot', earlierHolders: ['robot'] };
  await assert.rejects(
    app.module.promotions.approve(through, { id: promotion.id, seenGatedDigestSet: promotion.gatedDigestSet }),
    refusal('PERM_SELF_APPROVAL'),
  );
});

test('the authors of a component that is kept from the newest release do not approve the release that keeps it', async () => {
  const operator = app.caller('operator');
  const components = ['web', 'api'].map((each) => ({
    name: each,
    repository: app.registry.repository(`kept/${each}`),
  }));
  for (const each of ['web', 'api']) app.registry.push(`kept/${each}`, imageOf(`kept ${each}`), '1.0.0');
  const product = await app.module.products.create(operator, { name: 'kept', components });
  const draft = await app.module.releases.create(app.caller('approver'), {
    name: 'kept',
    semver: '1.0.0',
    components: components.map((each) => ({ ...each, tag: '1.0.0' })),
  });
  const finalize = { id: draft.id, expectedVersion: draft.version };
  const first = await app.module.releases.finalize(app.caller('approver'), finalize);
  app.registry.push('kept/web', imageOf('kept web again'), '1.1.0');
  await app.module.sources.create(operator, {
    productId: product.id,
    component: 'web',
    selection: { range: '*' },
    policy: 'request',
  });
  await work();
  const release = await releaseOf(product.id);
  assert.deepEqual(
    release.components.map(({ name, digest }) => [name, first.components.some((each) => each.digest === digest)]),
    [
      ['api', true],
      ['web', false],
    ],
  );
  const promotion = await promotionOf(product.id);
  await assert.rejects(approve(promotion, 'approver'), refusal('PERM_SELF_APPROVAL'));
  assert.equal((await approve(promotion, 'second-approver')).state, 'approved');
});
