import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareOrders } from './orders.fixture.ts';

test('all 90 orders in which bundles of three sites can arrive lead to the same states and conflicts', async () => {
  assert.equal(await compareOrders(1), 90);
});
