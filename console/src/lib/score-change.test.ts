import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scoreChange } from './score-change.ts';

test('the change of a score is exact, and unknown where one side has none', () => {
  assert.equal(scoreChange(0.1, 0.3), 0.2);
  assert.equal(scoreChange(0.595, 0.497), -0.098);
  assert.equal(scoreChange(null, 0.3), undefined);
  assert.equal(scoreChange(0, undefined), undefined);
});
