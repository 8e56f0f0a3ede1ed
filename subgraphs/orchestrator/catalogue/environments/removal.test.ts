import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogueApp, refusal } from '../../testing/catalogue-app.ts';

test('an environment is removed when nothing uses it, and its name and place are free again', async () => {
  await using app = await catalogueApp();
  const { environments, targets, products, promotions } = app.module;
  const operator = app.caller('operator');
  const environment = await app.seed.environment({ name: 'Staging', orderIndex: 5, requiredApprovals: 1 });
  const { id } = environment;
  const removed = { id, expectedVersion: environment.version };
  const target = await targets.create(operator, {
    environmentId: id,
    name: 'web-1',
    driver: 'process',
    config: { port: 8080 },
  });
  const product = await products.create(operator, { name: 'books' });
  const own = await products.setPath(operator, { id: product.id, expectedVersion: 1, steps: [{ environmentId: id }] });
  const release = await app.seed.ready({ name: 'books' });
  const promotion = await app.seed.promotion(release, environment);
  await assert.rejects(
    environments.remove(operator, removed),
    refusal('RES_CONFLICT', {
      targets: [{ id: target.id, name: 'web-1' }],
      products: [{ id: product.id, name: 'books' }],
      promotions: [{ id: promotion.id, name: `books ${release.semver}` }],
    }),
  );
  const summary = `in use by targets (web-1), products (books), promotions (books ${release.semver}). Remove`;
  const { data: visible } = await app.graph(
    'query ($id: ID!) { environment(id: $id) { viewerCanRemove { allowed code reason } } }',
    { id },
  );
  const { allowed, code, reason } = JSON.parse(JSON.stringify(visible)).environment.viewerCanRemove;
  assert.deepEqual([allowed, code], [false, 'RES_CONFLICT']);
  assert.ok(reason.includes(summary), reason);
  await promotions.cancel(operator, { id: promotion.id, reason: 'The environment goes.' });
  await products.setPath(operator, { id: product.id, expectedVersion: own.version, steps: null });
  await targets.remove(operator, { id: target.id, expectedVersion: target.version });
  await assert.rejects(environments.remove(app.caller('viewer'), removed), refusal('PERM_SCOPE_DENIED'));
  await assert.rejects(environments.remove(app.caller('other-tenant'), removed), refusal('RES_ENVIRONMENT_NOT_FOUND'));
  await environments.remove(operator, removed);
  await assert.rejects(environments.get(operator, { id }), refusal('RES_ENVIRONMENT_NOT_FOUND'));
  assert.deepEqual(await environments.list(operator, {}), []);
  const repeated = await app.seed.environment({ name: 'Staging', orderIndex: 5 });
  assert.notEqual(repeated.id, id);
  const { data } = await app.graph('query ($id: ID!) { promotion(id: $id) { targetEnvironment { name } } }', {
    id: promotion.id,
  });
  assert.deepEqual(JSON.parse(JSON.stringify(data)), { promotion: { targetEnvironment: { name: 'Staging' } } });
});
