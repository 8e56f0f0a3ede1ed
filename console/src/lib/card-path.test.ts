import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cardPath } from './card-path.ts';

test('what a card is about is led to by its page', () => {
  assert.equal(cardPath({ entity: { __typename: 'Release', id: 'r1' }, ref: null }), '/releases/r1');
  assert.equal(cardPath({ entity: { __typename: 'Integration', id: 'i1' }, ref: null }), '/integrations');
  assert.equal(
    cardPath({
      entity: { __typename: 'Promotion', id: 'p1', release: { __typename: 'Release', id: 'r2' } },
      ref: null,
    }),
    '/releases/r2',
  );
  assert.equal(
    cardPath({
      entity: { __typename: 'Target', id: 't1', environment: { __typename: 'Environment', id: 'e1' } },
      ref: null,
    }),
    '/environments/e1?target=t1',
  );
});

test('what the graph did not read is led to by its reference, as far as that has a page', () => {
  const ref = (type: string) => ({ entity: null, ref: { __typename: 'SearchRef', type, id: 'a/b' } as const });
  assert.equal(cardPath(ref('Deployment')), '/deployments/a%2Fb');
  assert.equal(cardPath(ref('Target')), undefined);
  assert.equal(cardPath(ref('Policy')), undefined);
  assert.equal(cardPath({ entity: null, ref: null }), undefined);
  assert.equal(cardPath({ entity: null, ref: null, href: '/docs/rollback' }), '/docs/rollback');
});
