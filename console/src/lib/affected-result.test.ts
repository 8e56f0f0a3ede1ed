import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAffected } from './affected-result.ts';

const answer = {
  releases: {
    edges: [{ node: { __typename: 'Release', id: 'r1', promotions: [{ __typename: 'Promotion', id: 'p1' }] } }],
  },
};

test('an answer is touched by a change of what is in it, however deep', () => {
  assert.equal(isAffected(answer, [{ type: 'Promotion', id: 'p1', version: 2 }]), true);
});

test('the same id of another type is another thing', () => {
  assert.equal(isAffected(answer, [{ type: 'Deployment', id: 'p1', version: 2 }]), false);
  assert.equal(isAffected(undefined, [{ type: 'Release', id: 'r1', version: 2 }]), false);
});
