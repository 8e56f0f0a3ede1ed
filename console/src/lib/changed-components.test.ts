import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedComponents } from './changed-components.ts';

const component = (name: string, digest: string | null) => ({ name, requestedTag: null, digest });

test('what is new, changed and gone comes before what stays', () => {
  const before = [component('api', 'sha256:1'), component('old', 'sha256:2'), component('web', 'sha256:3')];
  const after = [component('web', 'sha256:3'), component('api', 'sha256:9'), component('cart', 'sha256:4')];
  assert.deepEqual(
    changedComponents(before, after).map(({ name, kind }) => [name, kind]),
    [
      ['cart', 'added'],
      ['api', 'changed'],
      ['old', 'removed'],
      ['web', 'same'],
    ],
  );
});

test('without a digest nothing is known to be the same', () => {
  const [change] = changedComponents([component('api', null)], [component('api', null)]);
  assert.equal(change?.kind, 'changed');
});
