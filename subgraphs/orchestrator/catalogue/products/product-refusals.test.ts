import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { deployingApp } from '../../testing/deploying-app.ts';

const app = await deployingApp();
after(() => app[Symbol.asyncDispose]());

const { products, targets } = app.module;
const operator = app.caller('operator');
const agent = await app.register();

const faultOf = async (doing: Promise<unknown>): Promise<Fault> => {
  const error = await doing.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof Fault, String(error));
  return error;
};

const fieldsOf = async (doing: Promise<unknown>): Promise<string[]> =>
  (await faultOf(doing)).fields.map(({ field, code, message }) => `${field} ${code} ${message}`).toSorted();

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
  const twice = { name: 'region', value: 'eu' };
  assert.deepEqual(await refused({ environmentId, targetLabels: [twice, twice] }), [
    'steps.0.targetLabels.1.name VAL_INVALID_VALUE is given twice',
  ]);
  const target = await app.seed.target(environment, agent);
  const moved = targets.update(operator, { id: target.id, expectedVersion: 1, productId: 'x' });
  assert.deepEqual(await fieldsOf(moved), ['productId VAL_INVALID_UUID must match format "uuid"']);
});
