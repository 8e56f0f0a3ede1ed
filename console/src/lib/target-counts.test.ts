import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetCountText } from './target-count-text.ts';
import { countTargets, meterSegments } from './target-counts.ts';

const landed = (verdict: 'VERIFIED' | 'MISMATCH' | 'UNVERIFIED') =>
  ({ status: 'SUCCEEDED', landing: { verdict } }) as const;
const at = (status: 'PENDING' | 'RUNNING' | 'HELD' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED') =>
  ({ status, landing: null }) as const;

test('a completed task without a verdict is not counted as verified', () => {
  assert.equal(countTargets([at('SUCCEEDED')]).verified, 0);
  assert.equal(countTargets([at('SUCCEEDED')]).waiting, 1);
});

test('a failed target with a mismatch is counted once, as a mismatch', () => {
  const target = { status: 'FAILED', landing: { verdict: 'MISMATCH' } } as const;
  const { mismatch, failed, total } = countTargets([target]);
  assert.deepEqual({ mismatch, failed, total }, { mismatch: 1, failed: 0, total: 1 });
});

test('every target is in one segment', () => {
  const targets = [
    landed('VERIFIED'),
    landed('UNVERIFIED'),
    landed('MISMATCH'),
    at('FAILED'),
    at('RUNNING'),
    at('HELD'),
    at('CANCELLED'),
    at('PENDING'),
  ];
  assert.deepEqual(meterSegments(countTargets(targets)), {
    verified: 1,
    unverified: 1,
    bad: 2,
    running: 1,
    held: 1,
    waiting: 2,
  });
});

test('a target that is held at a gate is not counted as landed', () => {
  const { verified, held } = countTargets([at('HELD')]);
  assert.deepEqual({ verified, held }, { verified: 0, held: 1 });
});

test('the words say how many of how many', () => {
  assert.equal(targetCountText(countTargets([])), 'no target');
  assert.equal(targetCountText(countTargets([landed('VERIFIED'), landed('VERIFIED')])), '2 of 2 verified');
  assert.equal(
    targetCountText(countTargets([landed('VERIFIED'), at('RUNNING'), at('FAILED')])),
    '1 verified, 1 failed, 1 running of 3',
  );
});
