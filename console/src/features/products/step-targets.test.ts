import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTargets } from './step-targets.ts';

const target = (environment: string, region: string, state = 'HEALTHY') => ({
  state,
  labels: [{ name: 'region', value: region }],
  environment: { id: environment },
});

const targets = [target('prod', 'eu'), target('prod', 'us'), target('prod', 'us', 'DISABLED'), target('dev', 'eu')];

test('a selector is counted against the targets of its environment that are deployed to', () => {
  assert.deepEqual(countTargets({ id: 'prod', labels: 'region=us' }, targets), { of: 2, n: 1 });
  assert.deepEqual(countTargets({ id: 'prod', labels: '' }, targets), { of: 2, n: 2 });
  assert.deepEqual(countTargets({ id: 'prod', labels: 'region=asia' }, targets), { of: 2, n: 0 });
  assert.deepEqual(countTargets({ id: 'test', labels: '' }, targets), { of: 0, n: 0 });
});

test('a selector that is refused matches nothing that could be counted', () => {
  assert.deepEqual(countTargets({ id: 'prod', labels: 'region=e"u' }, targets), { of: 2, n: undefined });
});
