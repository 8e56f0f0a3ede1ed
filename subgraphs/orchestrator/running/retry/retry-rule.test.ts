import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toId } from '@landfall/kernel/core/ids';
import { classify, type Reason } from '../deployments/anatomy.ts';
import { type State, states } from '../deployments/deployments.store.ts';
import { type RetryCase, retryRefusal } from './retry-rule.ts';

type Retried = RetryCase['deployment'];

const ids = { releaseId: 'r' };
const idOf = (n: number) => toId(`00000000-0000-7000-8000-${String(n).padStart(12, '0')}`, 'Deployment');
const ENVIRONMENT = toId('00000000-0000-7000-8000-0000000000ee', 'Environment');

const deployment = (n: number, state: State, overrides: Partial<Retried> = {}): Retried => ({
  id: idOf(n),
  environmentId: ENVIRONMENT,
  kind: 'deploy',
  state,
  anatomy: state === 'failed' ? classify('execution', 'registry-unreachable', 'ECONNREFUSED', ids) : null,
  ...overrides,
});

const refusalOf = (ruleCase: RetryCase) => {
  const refusal = retryRefusal(ruleCase);
  return refusal && [refusal.code, refusal.details];
};

test('only a deployment that failed is tried again', () => {
  for (const state of states) {
    const one = deployment(1, state);
    const expected = state === 'failed' ? undefined : ['RES_CONFLICT', { state, allowed: ['failed'] }];
    assert.deepEqual(refusalOf({ deployment: one, newest: one }), expected, state);
  }
});

// spec: 2.10/anatomy-retryable, rulings/54
test('only a cause that may pass by itself is tried again', () => {
  const retryable: readonly Reason[] = [
    'job-deadline',
    'registry-unreachable',
    'agent-offline',
    'agent-heartbeat-lost',
  ];
  const others: readonly Reason[] = [
    'probe-failed',
    'digest-mismatch',
    'gate-halted',
    'secret-not-found',
    'unclassified',
  ];
  const ruleCase = (reason: Reason): RetryCase => {
    const one = deployment(1, 'failed', { anatomy: classify('execution', reason, '', ids) });
    return { deployment: one, newest: one };
  };
  for (const reason of retryable) assert.equal(retryRefusal(ruleCase(reason)), undefined, reason);
  for (const reason of others) {
    const { category } = classify('execution', reason, '', ids);
    assert.deepEqual(refusalOf(ruleCase(reason)), ['RES_CONFLICT', { retryable: false, category }], reason);
  }
});

test('a rollback is not tried again, whatever it failed of', () => {
  const one = deployment(1, 'failed', { kind: 'rollback' });
  assert.deepEqual(refusalOf({ deployment: one, newest: one }), [
    'RES_CONFLICT',
    { retryable: false, category: 'RegistryUnreachable' },
  ]);
});

test('what happened after a failed deployment takes its place', () => {
  const one = deployment(1, 'failed');
  const after = (state: State, kind: Retried['kind'] = 'deploy') =>
    refusalOf({ deployment: one, newest: deployment(2, state, { kind }) });
  const details = { environmentId: ENVIRONMENT, deploymentId: idOf(2) };
  assert.deepEqual(after('in_progress'), ['DEPLOY_IN_PROGRESS', details]);
  assert.deepEqual(after('in_progress', 'rollback'), ['DEPLOY_ROLLBACK_IN_PROGRESS', details]);
  for (const state of ['completed', 'failed', 'cancelled'] as const)
    assert.deepEqual(after(state), ['RES_CONFLICT', { state: 'failed', allowed: [], newest: idOf(2) }]);
});
