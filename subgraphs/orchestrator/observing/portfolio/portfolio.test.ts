import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogueApp } from '../../testing/catalogue-app.ts';

test('the portfolio says of each product what runs along its path and what waits there', async () => {
  await using app = await catalogueApp();
  const { portfolio, products } = app.module;
  const [operator, viewer] = [app.caller('operator'), app.caller('viewer')];
  const dev = await app.seed.environment({ name: 'dev' });
  const prod = await app.seed.environment({ name: 'prod' });
  const books = await products.create(operator, {
    name: 'books',
    ownerGroups: ['readers'],
    labels: [{ name: 'tier', value: '1' }],
  });
  await products.setPath(operator, { id: books.id, expectedVersion: 1, steps: [{ environmentId: prod.id }] });
  const [shop, first] = [await app.seed.ready(), await app.seed.ready({ name: 'books' })];
  await app.force.landing(shop, dev);
  await app.seed.promotion(shop, prod);
  await app.force.landing(first, prod);

  const { environments, rows } = await portfolio.get(viewer, {});
  assert.deepEqual(
    environments.map(({ name }) => name),
    ['dev', 'prod'],
  );
  const told = rows.map(({ product, cells }) => [
    product.name,
    cells.map(({ environmentId, semver, newestStatus, pending }) => [
      environmentId === dev.id ? 'dev' : 'prod',
      semver,
      newestStatus,
      pending,
    ]),
  ]);
  assert.deepEqual(told, [
    ['books', [['prod', first.semver, 'completed', 0]]],
    [
      'shop',
      [
        ['dev', shop.semver, 'completed', 0],
        ['prod', null, null, 1],
      ],
    ],
  ]);
  const named = async (filter: object) => (await portfolio.get(viewer, filter)).rows.map(({ product }) => product.name);
  assert.deepEqual(await named({ ownerGroup: 'readers' }), ['books']);
  assert.deepEqual(await named({ labels: [{ name: 'tier', value: '1' }] }), ['books']);
  assert.deepEqual(await named({ labels: [{ name: 'tier', value: '2' }] }), []);
  assert.deepEqual((await portfolio.get(app.caller('other-tenant'), {})).rows, []);
});
