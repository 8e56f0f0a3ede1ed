import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lanesOf } from './lanes.ts';

test('a lane that found a card by several of its pieces is told once, by its best place and all it gave', () => {
  assert.deepEqual(
    lanesOf([
      { lane: 'identifier', rank: 2, contribution: 3 },
      { lane: 'fts:vex', rank: 4, contribution: 0.25 },
      { lane: 'identifier', rank: 1, contribution: 2 },
    ]),
    [
      { lane: 'identifier', rank: 1, contribution: 5 },
      { lane: 'fts:vex', rank: 4, contribution: 0.25 },
    ],
  );
  assert.deepEqual(lanesOf([]), []);
});
