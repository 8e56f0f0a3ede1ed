import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffSeconds } from './backoff.ts';

test('a statement is tried again after 1, 2, 4 s and so on, five minutes at most', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 8, 9, 10, 1_000_000].map((attempts) => backoffSeconds(attempts)),
    [1, 2, 4, 8, 128, 256, 300, 300],
  );
});
