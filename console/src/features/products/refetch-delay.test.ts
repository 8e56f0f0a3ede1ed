import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refetchDelay } from './refetch-delay.ts';

const NOW = Date.parse('2026-11-01T12:00:00Z');
const after = (seconds: number): string => new Date(NOW + seconds * 1_000).toISOString();

test('the next question follows the next instant, and nothing is asked where nothing is due', () => {
  assert.equal(refetchDelay([], 0, NOW), undefined);
  assert.equal(refetchDelay([after(60), after(30)], 0, NOW), 33_000);
  assert.equal(refetchDelay([after(30)], 4, NOW), 33_000);
  assert.equal(refetchDelay([after(1)], 0, NOW), 10_000);
});

test('an instant that stays in the past is asked about again and again, with longer pauses', () => {
  const delays = [0, 1, 2, 3, 4, 5, 6].map((attempts) => refetchDelay([after(-60)], attempts, NOW));
  assert.deepEqual(delays, [10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
});

test('an instant that stays in the past does not delay the others', () => {
  assert.equal(refetchDelay([after(-600), after(30)], 5, NOW), 33_000);
});
