import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { sql } from '@landfall/kernel/db/sql';
import { deployingApp } from '../../testing/deploying-app.ts';
import { componentsRefusal } from './product-rules.ts';

const app = await deployingApp();
after(() => app[Symbol.asyncDispose]());

const { products, releases, targets } = app.module;
const operator = app.caller('operator');
const agent = await app.register();

const SHOW = `query ($id: ID!) { release(id: $id) { product {
  removedAt viewerCanUpdate { allowed code reason } viewerCanRemove { allowed code reason } } } }`;

const release = (semver: string) => (name: string) => releases.create(operator, { name, semver });

const faultOf = async (promise: Promise<unknown>): Promise<Fault> => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof Fault, String(error));
  return error;
};

const fieldsOf = async (promise: Promise<unknown>): Promise<string[]> =>
  (await faultOf(promise)).fields.map(({ field, code, message }) => `${field} ${code} ${message}`).toSorted();

test('a step of a path and the product of a target are refused at their own field with what is wrong', async () => {
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  const environmentId = environment.id;
  const product = await products.create(operator, { name: 'stepped' });
  const refused = (...steps: readonly object[]) =>
    fieldsOf(products.setPath(operator, { id: product.id, expectedVersion: 1, steps }));
  assert.deepEqual(await refused({ environmentId, policy: { requiredApprovals: 11 } }), [
    'steps.0.policy.requiredApprovals VAL_INVALID_VALUE must be <= 10',
  ]);
  assert.deepEqual(await refused({ environmentId }, { environmentId: 'x', need: 'some' }), [
    'steps.1.environmentId VAL_INVALID_UUID must match format "uuid"',
    'steps.1.need VAL_INVALID_VALUE must be one of all, any',
  ]);
  const duplicated = { name: 'region', value: 'eu' };
  assert.deepEqual(await refused({ environmentId, targetLabels: [duplicated, duplicated] }), [
    'steps.0.targetLabels.1.name VAL_INVALID_VALUE is given twice',
  ]);
  const target = await app.seed.target(environment, agent);
  const moved = targets.update(operator, { id: target.id, expectedVersion: 1, productId: 'x' });
  assert.deepEqual(await fieldsOf(moved), ['productId VAL_INVALID_UUID must match format "uuid"']);
});

test('a new product is not called like another one in other letters or with a space around, by whatever way it comes', async () => {
  const ferry = await products.create(operator, { name: 'Ferry' });
  const created = { product: (name: string) => products.create(operator, { name }), release: release('1.0.0') };
  for (const create of Object.values(created)) {
    const refused = await faultOf(create('FERRY'));
    assert.deepEqual(
      [refused.code, refused.message, refused.details],
      ['RES_ALREADY_EXISTS', 'A product called Ferry is already there.', { name: 'Ferry' }],
    );
    assert.deepEqual(await fieldsOf(create('Ferry ')), ['name VAL_INVALID_FORMAT must not begin or end with a space']);
  }
  assert.equal((await release('1.0.0')('Ferry')).productId, ferry.id);
  const { version: expectedVersion } = await products.get(operator, { id: ferry.id });
  await products.remove(operator, { id: ferry.id, expectedVersion });
  assert.equal((await products.create(operator, { name: 'FERRY' })).name, 'FERRY');
});

test('products that were there before keep names that look the same', async () => {
  const tenant = operator.tenant ?? assert.fail();
  for (const name of ['old', 'OLD', 'old '])
    await app.deps.database.write(tenant, (tx) =>
      tx.run(sql`/* test */ insert into orchestrator.products (tenant, id, name, created_by, updated_by)
        values (${tenant}, ${randomUUID()}, ${name}, 'o', 'o')`),
    );
  for (const name of ['old', 'OLD', 'old ']) assert.equal((await release('2.0.0')(name)).name, name);
  assert.equal((await faultOf(release('2.0.0')('Old'))).code, 'RES_ALREADY_EXISTS');
});

test('two new products at once whose names differ in case only are not both taken', async () => {
  const both = await Promise.allSettled(['Tug', 'TUG'].map((name) => products.create(operator, { name })));
  assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
});

test('a product declares at least one component, and an older one without any says that it has none', async () => {
  const nothing = ['components VAL_TOO_SHORT must not have fewer than 1 items'];
  assert.deepEqual(await fieldsOf(products.create(operator, { name: 'none', components: [] })), nothing);
  const product = await products.create(operator, { name: 'none' });
  const change = { id: product.id, expectedVersion: 1, components: [] };
  assert.deepEqual(await fieldsOf(products.update(operator, change)), nothing);
  const web = { name: 'web', repository: 'registry.example/shop/web' };
  const [refused] = componentsRefusal({ ...product, components: [] }, [{ field: 'it', component: web }])?.fields ?? [];
  assert.equal(refused?.message, 'is not a component of none, which has no components');
});

test('a removed product is neither changed nor removed, and says so before it is asked', async () => {
  const product = await products.create(operator, { name: 'gone' });
  const { id } = await release('1.0.0')('gone');
  const visible = async () => {
    const { data } = await app.graph(SHOW, { id });
    return JSON.parse(JSON.stringify(data)).release.product;
  };
  const allowed = { allowed: true, code: null, reason: null };
  assert.deepEqual(await visible(), { removedAt: null, viewerCanUpdate: allowed, viewerCanRemove: allowed });
  const removed = await products.remove(operator, { id: product.id, expectedVersion: 1 });
  assert.ok(removed.removedAt);
  const fault = await faultOf(products.update(operator, { id: product.id, expectedVersion: 2, labels: [] }));
  const refused = { allowed: false, code: fault.code, reason: 'The product gone was removed.' };
  assert.deepEqual(await visible(), {
    removedAt: removed.removedAt.toISOString(),
    viewerCanUpdate: refused,
    viewerCanRemove: refused,
  });
});
