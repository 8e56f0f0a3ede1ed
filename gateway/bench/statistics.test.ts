import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictOf } from './figure.ts';
import { median, quantile } from './statistics.ts';

test('a quantile is a value that was measured, by nearest rank', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  assert.deepEqual([quantile(values, 0.5), quantile(values, 0.95), quantile(values, 0.99)], [50, 95, 99]);
  assert.equal(median([3]), 3);
  assert.throws(() => median([]), RangeError);
});

test('a figure on its goal meets it', () => {
  const figure = { bench: 'b', metric: 'm', unit: 's' };
  assert.equal(verdictOf({ ...figure, value: 8, goal: { atMost: 8 } }), 'met');
  assert.equal(verdictOf({ ...figure, value: 8.1, goal: { atMost: 8 } }), 'missed');
  assert.equal(verdictOf({ ...figure, value: 0.79, goal: { atLeast: 0.8 } }), 'missed');
  assert.equal(verdictOf({ ...figure, value: 0.79 }), '');
});
