import assert from 'node:assert/strict';
import { test } from 'node:test';
import { merge, type Side } from './merge.ts';

const side = (id: string, stamp: string, digest: string, siteId = 'n'): Side => ({ id, siteId, stamp, digest });

test('the earliest stamp counts, the same again is a duplicate, and anything else contradicts it', () => {
  const { inForce, digests, states } = merge([side('a', '2', 'x'), side('b', '1', 'y'), side('c', '3', 'y')], null);
  assert.deepEqual([inForce, digests], ['y', ['y', 'x']]);
  assert.deepEqual(Object.fromEntries(states), { a: 'conflict', b: 'applied', c: 'duplicate' });
});

test('the side that a person chose counts, while it is there', () => {
  const sides = [side('a', '2', 'x'), side('b', '1', 'y')] as const;
  assert.deepEqual(Object.fromEntries(merge(sides, 'x').states), { a: 'applied', b: 'conflict' });
  assert.equal(merge(sides, 'gone').inForce, 'y');
});

test('equal stamps of two sites are ordered by the sites', () => {
  assert.equal(merge([side('a', '1', 'x', 'n2'), side('b', '1', 'y', 'n1')], null).inForce, 'y');
});
