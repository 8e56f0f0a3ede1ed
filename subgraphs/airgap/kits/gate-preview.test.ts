import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byWeight } from './gate-preview.ts';

test('releases that a kit would stop stand first, those that run somewhere before others', () => {
  const change = (after: 'pass' | 'fail', ...environments: string[]) => ({ after, environments });
  const found = [change('pass'), change('fail'), change('pass', 'dev'), change('fail', 'prod')];
  assert.deepEqual(found.toSorted(byWeight), [found[3], found[1], found[2], found[0]]);
});
