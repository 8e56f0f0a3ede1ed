import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparePolicies, isChanged, nextVersion, readable, weightSum } from './policy-changes.ts';

const policy = (changes: object = {}): string =>
  JSON.stringify({
    id: 'own',
    version: '7',
    weights: { cvss: 600_000, epss: 400_000 },
    freshnessSeconds: [[0, 0]],
    kevFloor: 800_000,
    ...changes,
  });

test('all weights are compared, and of the other values those that differ', () => {
  const changes = comparePolicies(
    policy(),
    policy({ version: '8', weights: { cvss: 500_000, epss: 500_000 }, kevFloor: 850_000 }),
  );
  assert.deepEqual(changes, [
    { path: 'weights.cvss', before: '600000', after: '500000' },
    { path: 'weights.epss', before: '400000', after: '500000' },
    { path: 'kevFloor', before: '800000', after: '850000' },
  ]);
});

test('equal policies under two names differ in nothing', () => {
  const changes = comparePolicies(policy(), policy({ id: 'other', version: '1' }));
  assert.deepEqual(changes.filter(isChanged), []);
  assert.equal(changes.length, 2);
});

test('a list is one value, and a value that only one version has is shown', () => {
  const changes = comparePolicies(
    policy(),
    policy({ freshnessSeconds: [[0, 1]], kevFloor: undefined, tail: { max: 5 } }),
  );
  assert.deepEqual(changes.filter(isChanged), [
    { path: 'freshnessSeconds', before: '[[0,0]]', after: '[[0,1]]' },
    { path: 'tail.max', before: undefined, after: '5' },
    { path: 'kevFloor', before: '800000', after: undefined },
  ]);
});

test('the sum of the weights is that of the text, and a text without weights has none', () => {
  assert.equal(weightSum(policy()), 1_000_000);
  assert.equal(weightSum(policy({ weights: { cvss: 1 } })), 1);
  assert.equal(weightSum('{'), undefined);
  assert.equal(weightSum('{"weights":{}}'), undefined);
});

test('a new version begins with the values of an earlier one and the next number', () => {
  assert.equal(nextVersion(policy()), readable(policy({ version: '8' })));
  assert.equal(nextVersion(policy({ version: '2026-11' })), readable(policy({ version: '' })));
  assert.deepEqual([nextVersion('{'), readable('{')], ['{', '{']);
  assert.match(readable(policy()), /^ {4}\[0, 0\]$/m);
});
