import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathOf } from './found-page.ts';

test('what a card is about is led to by its page', () => {
  assert.equal(pathOf({ entity: { __typename: 'Release', id: 'r1' }, ref: null }), '/releases/r1');
  assert.equal(pathOf({ entity: { __typename: 'Integration', id: 'i1' }, ref: null }), '/integrations');
  assert.equal(
    pathOf({ entity: { __typename: 'Promotion', id: 'p1', release: { __typename: 'Release', id: 'r2' } }, ref: null }),
    '/releases/r2',
  );
  assert.equal(
    pathOf({
      entity: { __typename: 'Target', id: 't1', environment: { __typename: 'Environment', id: 'e1' } },
      ref: null,
    }),
    '/environments/e1?target=t1',
  );
});

test('what the graph did not read is led to by its reference, as far as that has a page', () => {
  const ref = (type: string) => ({ entity: null, ref: { __typename: 'SearchRef', type, id: 'a/b' } as const });
  assert.equal(pathOf(ref('Deployment')), '/deployments/a%2Fb');
  assert.equal(pathOf(ref('Target')), undefined);
  assert.equal(pathOf(ref('Policy')), undefined);
  assert.equal(pathOf({ entity: null, ref: null }), undefined);
  assert.equal(pathOf({ entity: null, ref: null, href: '/docs/rollback' }), '/docs/rollback');
});
