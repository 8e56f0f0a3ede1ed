import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exactText, percentText, scoreText } from './score.ts';

test('a score has two decimals in a list, and as many as the server computed beside its parts', () => {
  assert.deepEqual([scoreText(0.595), scoreText(1), scoreText(0)], ['0.60', '1.00', '0.00']);
  assert.deepEqual(
    [exactText(0.595), exactText(0.123456), exactText(0.9), exactText(-0.25)],
    ['0.595', '0.123456', '0.90', '-0.25'],
  );
});

test('a probability is written in per cent', () => {
  assert.deepEqual([percentText(0.01234), percentText(0.9)], ['1.2%', '90%']);
});
