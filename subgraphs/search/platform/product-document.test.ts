import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry, type NewStoryEvent, storyApp } from './story.fixture.ts';

/** Body of the product's document after these events. */
const bodyAfter = async (...events: readonly NewStoryEvent[]): Promise<string> => {
  await using app = await storyApp();
  await app.happen(events);
  await app.project();
  const [product, ...others] = (await app.documents()).filter(({ title }) => title === 'Product shop');
  assert.deepEqual(others, []);
  return product?.body ?? assert.fail('no document');
};

const created = entry('product.create', 'Product', 'shop', {
  name: 'shop',
  components: [{ name: 'web' }],
  description: 'Sells things',
  ownerGroups: ['buyers'],
  labels: { tier: '1', team: 'shop' },
});

test('a product is found by its description, its owners, its components and its labels', async () => {
  assert.equal(
    await bodyAfter(created),
    [
      'Product shop: Sells things.',
      'Owners: buyers.',
      'Components: web.',
      'Labels: team=shop and tier=1.',
      'Its path is the environments of the tenant, in order.',
    ].join('\n'),
  );
});

test('a description and labels that are taken away are found no more', async () => {
  const cleared = entry('product.update', 'Product', 'shop', { name: 'shop', description: null, labels: {} });
  const body = await bodyAfter(created, cleared);
  assert.match(body, /^Product shop\.\nOwners: buyers\./);
  assert.doesNotMatch(body, /Labels|Sells/);
});

test('a product that an upgrade made is found from its import on, with its path', async () => {
  const dev = entry('environment.create', 'Environment', 'dev', { name: 'dev' });
  const imported = entry('product.import', 'Product', 'shop', {
    name: 'shop',
    description: null,
    ownerGroups: [],
    labels: {},
    components: null,
    steps: null,
  });
  assert.match(
    await bodyAfter(dev, imported),
    /^Product shop\.\nIts path is the environments of the tenant, in order\./,
  );
});
