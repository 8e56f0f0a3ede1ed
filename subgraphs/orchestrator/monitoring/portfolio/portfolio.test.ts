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

test('the portfolio names the promotion that waits, and orders, filters and counts over all pages', async () => {
  await using app = await catalogueApp();
  const { portfolio, products } = app.module;
  const [operator, viewer] = [app.caller('operator'), app.caller('viewer')];
  const dev = await app.seed.environment({ name: 'dev' });
  for (const name of ['atlas', 'books', 'cargo'])
    await products.create(operator, { name, ownerGroups: [`${name}-team`], labels: [{ name: 'tier', value: name }] });
  const zebra = await app.seed.ready({ name: 'zebra' });
  const asked = await app.seed.promotion(zebra, dev);
  await app.force.state(asked.id, 'pending');

  const first = await portfolio.get(viewer, { orderBy: 'urgency', first: 2 });
  assert.deepEqual(
    first.rows.map(({ product }) => product.name),
    ['zebra', 'atlas'],
  );
  assert.deepEqual([first.productCount, first.urgentCount, first.choices.length], [4, 1, 4]);
  const [cell] = first.rows[0]?.cells ?? [];
  const { id, semver } = zebra;
  assert.deepEqual(cell?.promotion, { id: asked.id, releaseId: id, semver, state: 'pending', others: 0 });
  assert.deepEqual([cell?.states, cell?.unsettled], [['waiting'], null]);
  const rest = await portfolio.get(viewer, { orderBy: 'urgency', first: 2, skip: 2 });
  assert.deepEqual(
    rest.rows.map(({ product }) => product.name),
    ['books', 'cargo'],
  );
  const waiting = await portfolio.get(viewer, { state: 'waiting', ownerGroup: 'atlas-team' });
  assert.deepEqual([waiting.rows, waiting.productCount, waiting.choices.length], [[], 0, 4]);
  const found = await portfolio.get(viewer, { state: 'waiting' });
  assert.deepEqual([found.rows.length, found.productCount, found.urgentCount], [1, 1, 1]);
});
