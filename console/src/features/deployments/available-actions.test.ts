import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeploymentPermissionsFragment, DeploymentStatus } from '../../generated/operations.ts';
import { availableActions } from './available-actions.ts';

const YES = { __typename: 'Permission', allowed: true, code: null, reason: null } as const;
const no = (code: string) =>
  ({ __typename: 'Permission', allowed: false, code, reason: `Because of ${code}.` }) as const;

const deployment = (
  status: DeploymentStatus,
  answer: DeploymentPermissionsFragment['viewerCanPause'] = YES,
): DeploymentPermissionsFragment => ({
  __typename: 'Deployment',
  id: 'd',
  status,
  pauseReason: status === 'PAUSED' ? 'TRAFFIC_GATE' : null,
  phases: [],
  viewerCanPause: answer,
  viewerCanResume: answer,
  viewerCanAdvance: answer,
  viewerCanHalt: answer,
  viewerCanCancel: answer,
  viewerCanRetry: answer,
  viewerCanRollback: answer,
});

test('a deployment offers what its state allows', () => {
  const allowed = (status: DeploymentStatus) => [...availableActions(deployment(status)).allowed];
  assert.deepEqual(allowed('IN_PROGRESS'), ['pause', 'halt', 'cancel']);
  assert.deepEqual(allowed('PAUSED'), ['advance', 'halt', 'cancel']);
  assert.deepEqual(allowed('FAILED'), ['retry', 'rollback']);
  assert.deepEqual(allowed('ROLLED_BACK'), []);
});

test('one that was paused by hand is resumed, not advanced', () => {
  const paused: DeploymentPermissionsFragment = { ...deployment('PAUSED'), pauseReason: 'MANUAL' };
  assert.deepEqual([...availableActions(paused).allowed], ['resume', 'halt', 'cancel']);
});

test('a rule that keeps several verbs is said once', () => {
  const { allowed, rules } = availableActions(deployment('PAUSED', no('PERM_SCOPE_DENIED')));
  assert.equal(allowed.size, 0);
  assert.deepEqual(
    rules.map(({ verbs, permission }) => [verbs, permission.code]),
    [[['advance', 'halt', 'cancel'], 'PERM_SCOPE_DENIED']],
  );
});

test('a retry that makes no sense is not there, and nothing is said of it', () => {
  const failed: DeploymentPermissionsFragment = { ...deployment('FAILED'), viewerCanRetry: no('RES_CONFLICT') };
  assert.deepEqual([...availableActions(failed).allowed], ['rollback']);
  assert.deepEqual(availableActions(failed).rules, []);
});
