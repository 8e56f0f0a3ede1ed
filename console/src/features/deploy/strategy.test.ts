import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StrategyChoiceFragment } from '../../generated/operations.ts';
import { formatSteps } from '../../lib/canary-steps.ts';
import { chosenStrategy, unreadable } from './strategy.ts';

const ENVIRONMENT: StrategyChoiceFragment = {
  __typename: 'Environment',
  id: 'prod',
  defaultStrategy: 'ROLLING',
  strategyParams: { __typename: 'StrategyParams', batchPercent: 25, canarySteps: [10, 50, 100], gate: 'MANUAL' },
  analysis: null,
};

test('what the URL leaves out is as the environment has it', () => {
  assert.deepEqual(chosenStrategy({}, ENVIRONMENT), {
    strategy: 'ROLLING',
    params: { batchPercent: 25, canarySteps: [10, 50, 100], gate: 'MANUAL' },
  });
  assert.deepEqual(chosenStrategy({ strategy: 'CANARY', steps: '5,100', gate: 'NONE' }, ENVIRONMENT), {
    strategy: 'CANARY',
    params: { batchPercent: 25, canarySteps: [5, 100], gate: 'NONE' },
  });
});

test('words that make no sense matter only to the strategy that reads them', () => {
  const text = { batch: '0', steps: '50, 10' };
  assert.deepEqual(unreadable(text, 'ROLLING'), ['batch']);
  assert.deepEqual(unreadable(text, 'CANARY'), ['steps']);
  assert.deepEqual(unreadable(text, 'ALL_AT_ONCE'), []);
  assert.deepEqual(unreadable({}, 'ROLLING'), []);
});

test('steps are written as people write them', () => {
  assert.equal(formatSteps([10, 50, 100]), '10, 50, 100');
});
