import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { toId } from '@landfall/kernel/core/ids';
import { type PauseReason, type State, states } from '../deployments/deployments.store.ts';
import { type Control, controlRefusal, expectWaitingPhase } from './control-rule.ts';

const id = toId('00000000-0000-7000-8000-000000000001', 'Deployment');
const environmentId = toId('00000000-0000-7000-8000-000000000002', 'Environment');

const ruleCase = (
  control: Control,
  state: State,
  pauseReason: PauseReason | null = null,
  kind: 'deploy' | 'rollback' = 'deploy',
) => controlRefusal(control, { id, environmentId, kind, state, pauseReason });

const allowed = (control: Control): string[] =>
  states.flatMap((state) => {
    if (state !== 'paused') return ruleCase(control, state) ? [] : [state];
    return (['manual', 'traffic_gate'] as const).filter((reason) => !ruleCase(control, state, reason));
  });

test('each act is allowed in its states and in no other', () => {
  assert.deepEqual(
    {
      pause: allowed('pause'),
      resume: allowed('resume'),
      advance: allowed('advance'),
      halt: allowed('halt'),
      cancel: allowed('cancel'),
    },
    {
      pause: ['in_progress'],
      resume: ['manual'],
      advance: ['traffic_gate'],
      halt: ['in_progress', 'manual', 'traffic_gate'],
      cancel: ['queued', 'preflight', 'planning', 'in_progress', 'manual', 'traffic_gate'],
    },
  );
});

// spec: rulings/54
test('a refusal says the state and where it is allowed', () => {
  const refused = ruleCase('pause', 'paused', 'traffic_gate');
  assert(refused instanceof Fault);
  assert.equal(refused.code, 'RES_CONFLICT');
  assert.deepEqual(refused.details, { state: 'paused', pauseReason: 'traffic_gate', allowed: ['in_progress'] });
});

// spec: 7.2/DEPLOY_ROLLBACK_IN_PROGRESS
test('neither a rollback nor what it undoes is cancelled, but a rollback can be halted', () => {
  assert.equal(ruleCase('cancel', 'in_progress', null, 'rollback')?.code, 'DEPLOY_ROLLBACK_IN_PROGRESS');
  assert.equal(ruleCase('cancel', 'rollback_in_progress')?.code, 'DEPLOY_ROLLBACK_IN_PROGRESS');
  assert.equal(ruleCase('cancel', 'completed', null, 'rollback')?.code, 'RES_CONFLICT');
  assert.equal(ruleCase('halt', 'in_progress', null, 'rollback'), undefined);
});

test('a gate is passed only by who has seen it', () => {
  assert.doesNotThrow(() => expectWaitingPhase({ index: 2 }, 2));
  for (const heldPhase of [undefined, { index: 1 }])
    assert.throws(
      () => expectWaitingPhase(heldPhase, 2),
      (error) => error instanceof Fault && error.code === 'RES_VERSION_CONFLICT' && error.details?.expected === 2,
    );
});
