import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byUrgency, needsPerson, placeStates, worstState } from './product-state.ts';

const release = { __typename: 'Release', id: 'release', semver: '1.0.0' } as const;

type Place = Parameters<typeof placeStates>[0];
type Status = NonNullable<Place['newestDeployment']>['status'];

const placeOf = (state: Place['state'], status?: Status, promotions: Place['promotions'] = []): Place => ({
  state,
  newestDeployment:
    status === undefined ? null : { __typename: 'Deployment', id: 'deployment', status, pauseReason: null, release },
  promotions,
});

const pending = { __typename: 'Promotion', id: 'promotion', state: 'PENDING', release } as const;

test('a place has the state of its estate, of its newest deployment and of its promotions, the most urgent first', () => {
  assert.deepEqual(placeStates(placeOf(null)), []);
  assert.deepEqual(placeStates(placeOf('IN_SYNC', 'COMPLETED')), ['IN_SYNC']);
  assert.deepEqual(placeStates(placeOf('DRIFT', 'FAILED', [pending])), ['FAILED', 'DRIFT', 'WAITING']);
  assert.deepEqual(placeStates(placeOf('IN_SYNC', 'IN_PROGRESS')), ['UNDER_WAY', 'IN_SYNC']);
});

test('a paused deployment waits, and one that was cancelled or rolled back is over', () => {
  assert.deepEqual(placeStates(placeOf(null, 'PAUSED')), ['WAITING']);
  assert.deepEqual(placeStates(placeOf('IN_SYNC', 'CANCELLED')), ['IN_SYNC']);
  assert.deepEqual(placeStates(placeOf('IN_SYNC', 'ROLLED_BACK')), ['IN_SYNC']);
  assert.deepEqual(placeStates(placeOf(null, 'ROLLBACK_FAILED')), ['FAILED']);
});

test('products that need a person come first, and the others keep their order', () => {
  const product = (name: string, ...environments: Place[]) => ({ name, environments });
  const products = [
    product('billing', placeOf('IN_SYNC', 'COMPLETED')),
    product('catalogue', placeOf('IN_SYNC', 'COMPLETED'), placeOf('UNOBSERVED', 'COMPLETED')),
    product('checkout', placeOf('IN_SYNC', 'IN_PROGRESS')),
    product('empty'),
    product('shop', placeOf('IN_SYNC', 'FAILED')),
  ];
  assert.deepEqual(
    byUrgency(products).map(({ name }) => name),
    ['shop', 'catalogue', 'billing', 'checkout', 'empty'],
  );
  assert.deepEqual(
    products.filter((one) => needsPerson(one)).map(({ name }) => name),
    ['catalogue', 'shop'],
  );
  assert.equal(worstState(product('empty')), undefined);
});
