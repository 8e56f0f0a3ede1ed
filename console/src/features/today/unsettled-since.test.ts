import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unsettledSince } from './unsettled-since.ts';

const product = (name: string, state: string, completedAt: string) => ({
  state,
  currentDeployment: { completedAt, release: { id: `${name} 1`, name } },
});

const createdAt = '2026-01-01T00:00:00Z';
const shop = product('shop', 'DRIFT', '2026-03-01T00:00:00Z');
const billing = product('billing', 'IN_SYNC', '2026-02-01T00:00:00Z');

test('the age is that of the product that drifts, not of another one', () => {
  assert.equal(unsettledSince({ createdAt, releases: [], products: [billing, shop] }), '2026-03-01T00:00:00Z');
});

test('where nothing drifts, it is that of the product that targets carry another release of', () => {
  const releases = [{ release: { id: 'billing 0', name: 'billing' } }];
  const settled = { ...shop, state: 'IN_SYNC' };
  assert.equal(unsettledSince({ createdAt, releases, products: [settled, billing] }), '2026-02-01T00:00:00Z');
});

test('an environment that nothing landed in is as old as itself', () => {
  const products = [{ state: 'UNOBSERVED', currentDeployment: null }];
  assert.equal(unsettledSince({ createdAt, releases: [], products }), createdAt);
});
