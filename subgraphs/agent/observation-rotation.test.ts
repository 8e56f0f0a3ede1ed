import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createObservationRotation } from './observation-rotation.ts';

test('what one message cannot hold is told by the next ones, and nothing is left out', () => {
  const turn = createObservationRotation(2);
  const reported = Array.from({ length: 3 }, () => turn(['a', 'b', 'c', 'd', 'e']));
  assert.deepEqual(reported, [
    ['a', 'b'],
    ['c', 'd'],
    ['e', 'a'],
  ]);
  assert.deepEqual(turn(['a']), ['a'], 'fewer than before');
  assert.deepEqual(turn(['a', 'b']), ['a', 'b']);
  assert.deepEqual(turn([]), []);
});
