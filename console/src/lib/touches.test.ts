import assert from 'node:assert/strict';
import { test } from 'node:test';
import { touches } from './touches.ts';

const answer = {
  releases: {
    edges: [{ node: { __typename: 'Release', id: 'r1', promotions: [{ __typename: 'Promotion', id: 'p1' }] } }],
  },
};

test('an answer is touched by a change of what is in it, however deep', () => {
  assert.equal(touches(answer, [{ type: 'Promotion', id: 'p1', version: 2 }]), true);
});

test('the same id of another type is another thing', () => {
  assert.equal(touches(answer, [{ type: 'Deployment', id: 'p1', version: 2 }]), false);
  assert.equal(touches(undefined, [{ type: 'Release', id: 'r1', version: 2 }]), false);
});
