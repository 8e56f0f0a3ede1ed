import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCanarySteps, shares } from './canary-steps.ts';

test('steps are read from words with commas or spaces', () => {
  assert.deepEqual(parseCanarySteps('5, 25 100'), [5, 25, 100]);
  assert.equal(shares.read('10, 50,100'), '10,50,100');
  assert.equal(shares.read(100), '100');
});

test('steps that do not ascend to 100 are none', () => {
  for (const words of ['', '10,50', '50,10,100', '10,10,100', '0,100', '10,110', 'ten,100', '2.5,100']) {
    assert.equal(parseCanarySteps(words), undefined, words);
  }
});

test('a canary has ten steps at most', () => {
  assert.equal(parseCanarySteps('1,2,3,4,5,6,7,8,9,100')?.length, 10);
  assert.equal(parseCanarySteps('1,2,3,4,5,6,7,8,9,10,100'), undefined);
});
