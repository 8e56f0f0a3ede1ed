import assert from 'node:assert/strict';
import { test } from 'node:test';
import { otherReleases } from './other-releases.ts';

const old = { id: 'old', name: 'shop', semver: '1.0.1' };
const next = { id: 'next', name: 'shop', semver: '1.2.0' };
const billing = { id: 'billing', name: 'billing', semver: '3.0.0' };

const targets = (['HEALTHY', 'UNKNOWN', 'ENROLLED', 'DISABLED', 'DRAINING'] as const).map((state) => ({
  id: state,
  state,
  product: { name: 'shop' },
}));
const current = (release: { readonly id: string }) => ({ currentDeployment: { release } });

test('what targets carry beside the current release is counted against those that count', () => {
  const releases = [
    { release: old, targets: 2 },
    { release: next, targets: 1 },
  ];
  assert.deepEqual(otherReleases({ releases, targets, products: [current(old)] }), [
    { id: 'next', n: 1, of: 3, what: 'shop 1.2.0' },
  ]);
});

test('where nothing is current, whatever landed is another', () => {
  const releases = [{ release: next, targets: 1 }];
  assert.deepEqual(
    otherReleases({ releases, targets, products: [{ currentDeployment: null }] }).map(({ n, of }) => [n, of]),
    [[1, 3]],
  );
});

test('the current release of another product is no other, and its targets are not counted', () => {
  const releases = [
    { release: old, targets: 1 },
    { release: billing, targets: 1 },
    { release: next, targets: 1 },
  ];
  const shared = [...targets, { id: 'billing', state: 'HEALTHY', product: { name: 'billing' } }];
  assert.deepEqual(otherReleases({ releases, targets: shared, products: [current(old), current(billing)] }), [
    { id: 'next', n: 1, of: 3, what: 'shop 1.2.0' },
  ]);
});

test('a target without a product may be of any', () => {
  const releases = [{ release: next, targets: 1 }];
  const free = [...targets, { id: 'free', state: 'HEALTHY', product: null }];
  assert.deepEqual(
    otherReleases({ releases, targets: free, products: [current(old)] }).map(({ of }) => of),
    [4],
  );
});

test('a whole environment has no other', () => {
  const releases = [{ release: old, targets: 3 }];
  assert.deepEqual(otherReleases({ releases, targets, products: [current(old)] }), []);
});
