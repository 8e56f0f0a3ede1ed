import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverageParts, unevaluated } from './coverage.ts';

const counts = { components: 5, evaluated: 2, noPurl: 1, unknownEcosystem: 0, badVersion: 2 };

test('coverage lists the outcomes that occur, which sum to the components', () => {
  assert.deepEqual(coverageParts(counts), [
    { part: 'evaluated', n: 2 },
    { part: 'noPurl', n: 1 },
    { part: 'badVersion', n: 2 },
  ]);
  assert.equal(unevaluated(counts), 3);
});
