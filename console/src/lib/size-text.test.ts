import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sizeText } from './size-text.ts';

test('a size is written in the largest unit that leaves a digit before the point', () => {
  assert.deepEqual([0, 999, 1_000, 1_234_567, 98_765_432, 5e12, 5e15].map(sizeText), [
    '0 B',
    '999 B',
    '1 kB',
    '1.2 MB',
    '99 MB',
    '5 TB',
    '5,000 TB',
  ]);
});
