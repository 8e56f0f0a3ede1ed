import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statesOf, urgencyOf } from './product-states.ts';

type Occurrences = Parameters<typeof statesOf>[0];
type Status = NonNullable<Occurrences['newest']>['state'];

const statesIn = (estate: Occurrences['estate'], state?: Status, more: Partial<Occurrences['newest']> = {}) =>
  statesOf({ estate, newest: state ? { state, pauseReason: null, nextCheckAt: null, ...more } : null, promotions: 0 });

test('a product has the states of its estate, newest deployment and promotions, the most urgent first', () => {
  assert.deepEqual(statesIn(null), []);
  assert.deepEqual(statesIn('in_sync', 'completed'), ['in_sync']);
  assert.deepEqual(statesIn('in_sync', 'in_progress'), ['under_way', 'in_sync']);
  const newest = { state: 'failed', pauseReason: null, nextCheckAt: null } as const;
  assert.deepEqual(statesOf({ estate: 'drift', newest, promotions: 1 }), ['failed', 'drift', 'waiting']);
});

test('a deployment that was cancelled or rolled back is over, and one whose rollback failed has failed', () => {
  assert.deepEqual(statesIn('in_sync', 'cancelled'), ['in_sync']);
  assert.deepEqual(statesIn('in_sync', 'rolled_back'), ['in_sync']);
  assert.deepEqual(statesIn(null, 'rollback_failed'), ['failed']);
});

test('a gate waits for a person only where no analysis opens it', () => {
  const at = new Date();
  assert.deepEqual(statesIn(null, 'paused', { pauseReason: 'traffic_gate', nextCheckAt: at }), ['under_way']);
  assert.deepEqual(statesIn(null, 'paused', { pauseReason: 'traffic_gate' }), ['waiting']);
  assert.deepEqual(statesIn(null, 'paused', { pauseReason: 'manual', nextCheckAt: at }), ['waiting']);
});

test('the urgency is that of the most urgent state, and of none that needs no person', () => {
  assert.equal(urgencyOf([]), undefined);
  assert.equal(urgencyOf(['in_sync', 'under_way']), undefined);
  assert.ok((urgencyOf(['in_sync', 'drift']) ?? 9) < (urgencyOf(['waiting']) ?? 0));
});
