import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareOrders } from './orders.fixture.ts';

test('all 630 orders of an own job and bundles of three sites lead to the same states and conflicts', async () => {
  assert.equal(await compareOrders(1), 630);
});
