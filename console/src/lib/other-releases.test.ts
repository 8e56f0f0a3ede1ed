import assert from 'node:assert/strict';
import { test } from 'node:test';
import { otherReleases } from './other-releases.ts';

const old = { id: 'old', name: 'shop', semver: '1.0.1' };
const next = { id: 'next', name: 'shop', semver: '1.2.0' };
const targets = (['HEALTHY', 'UNKNOWN', 'ENROLLED', 'DISABLED', 'DRAINING'] as const).map((state) => ({
  id: state,
  state,
}));

test('what targets carry beside the current release is counted against those that count', () => {
  const releases = [
    { release: old, targets: 2 },
    { release: next, targets: 1 },
  ];
  assert.deepEqual(otherReleases({ releases, targets, currentDeployment: { release: old } }), [
    { id: 'next', n: 1, of: 3, what: 'shop 1.2.0' },
  ]);
});

test('where nothing is current, whatever landed is another', () => {
  const releases = [{ release: next, targets: 1 }];
  assert.deepEqual(
    otherReleases({ releases, targets, currentDeployment: null }).map(({ n, of }) => [n, of]),
    [[1, 3]],
  );
});

test('a whole environment has no other', () => {
  const releases = [{ release: old, targets: 3 }];
  assert.deepEqual(otherReleases({ releases, targets, currentDeployment: { release: old } }), []);
});
