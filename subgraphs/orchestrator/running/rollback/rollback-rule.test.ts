import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { toId } from '@landfall/kernel/core/ids';
import fc from 'fast-check';
import { classify } from '../deployments/anatomy.ts';
import { isEnded } from '../deployments/deployment-state.ts';
import { type State, states } from '../deployments/deployments.store.ts';
import { adaptForRollback, type Finding } from '../preflight/preflight-rules.ts';
import {
  type Past,
  type RollbackCase,
  rollbackAnatomy,
  rollbackChoices,
  rollbackOf,
  rollbackRefusal,
  undoRefusal,
} from './rollback-rule.ts';

const idOf = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

const ENVIRONMENT = toId(idOf(1_000), 'Environment');

/** Builds the `n`th deployment of the environment, of release `release`. */
const deployment = (n: number, release: number, overrides: Partial<Past> = {}): Past => ({
  id: toId(idOf(n), 'Deployment'),
  environmentId: ENVIRONMENT,
  releaseId: toId(idOf(900 + release), 'Release'),
  kind: 'deploy',
  state: 'completed',
  landing: 'verified',
  ...overrides,
});

const failed = { state: 'failed', landing: null } as const;
const undoneDeployment = { state: 'rolled_back' } as const;
const releaseOf = (n: number): string => deployment(0, n).releaseId;

const WAS_COMPLETED: ReadonlySet<State> = new Set([
  'completed',
  'rollback_in_progress',
  'rolled_back',
  'rollback_failed',
]);

/**
 * Builds the rule's input as the store would: the newest deployment, and of each release the last verified one, newest
 * first.
 */
const pastOf = (jobs: readonly Past[], overrides: Partial<RollbackCase> = {}): RollbackCase => {
  const newestFirst = [...jobs].reverse();
  const landed = newestFirst.filter(({ landing, state }) => landing === 'verified' && WAS_COMPLETED.has(state));
  const verified = landed.filter((each, i) => landed.findIndex(({ releaseId }) => releaseId === each.releaseId) === i);
  return { environmentId: ENVIRONMENT, newest: newestFirst[0], verified, holds: new Map(), ...overrides };
};

const codeOf = (found: unknown): string | undefined => (found instanceof Fault ? found.code : undefined);

const outcome = (ruleCase: RollbackCase): readonly number[] | string => {
  const found = rollbackOf(ruleCase);
  return found instanceof Fault
    ? found.code
    : [Number(found.undone.id.slice(-12)), Number(found.restored.id.slice(-12))];
};

test('in every state of the last deployment, and for both kinds, a rollback has one answer', () => {
  const answers: Readonly<Record<State, readonly number[] | string>> = {
    queued: 'under way',
    preflight: 'under way',
    planning: 'under way',
    in_progress: 'under way',
    paused: 'under way',
    verifying: 'under way',
    cancelling: 'under way',
    completed: [2, 1],
    failed: [2, 1],
    cancelled: [2, 1],
    // The state is never the last one: the rollback that caused it follows.
    rollback_in_progress: 'DEPLOY_NOTHING_TO_ROLLBACK',
    rolled_back: 'DEPLOY_NOTHING_TO_ROLLBACK',
    rollback_failed: 'DEPLOY_NOTHING_TO_ROLLBACK',
  };
  for (const state of states)
    for (const [kind, code] of [
      ['deploy', 'DEPLOY_IN_PROGRESS'],
      ['rollback', 'DEPLOY_ROLLBACK_IN_PROGRESS'],
    ] as const) {
      const expected = answers[state] === 'under way' ? code : answers[state];
      assert.deepEqual(
        outcome(pastOf([deployment(1, 1), deployment(2, 2, { state, kind, landing: null })])),
        expected,
        state,
      );
    }
});

// spec: 7.2/DEPLOY_NOTHING_TO_ROLLBACK
test('what comes back landed verified, and is another release than what runs', () => {
  const table: readonly (readonly [string, readonly Past[], readonly number[] | string])[] = [
    ['nothing ever ran', [], 'DEPLOY_NOTHING_TO_ROLLBACK'],
    ['the first deployment completed', [deployment(1, 1)], 'DEPLOY_NOTHING_TO_ROLLBACK'],
    ['the first deployment failed', [deployment(1, 1, failed)], 'DEPLOY_NOTHING_TO_ROLLBACK'],
    ['the second completed', [deployment(1, 1), deployment(2, 2)], [2, 1]],
    ['the second completed unverified', [deployment(1, 1), deployment(2, 2, { landing: 'unverified' })], [2, 1]],
    ['the second is of the same release', [deployment(1, 1), deployment(2, 1)], 'DEPLOY_NOTHING_TO_ROLLBACK'],
    ['the second, of the same release, failed', [deployment(1, 1), deployment(2, 1, failed)], [2, 1]],
    [
      'the one before was unverified',
      [deployment(1, 1), deployment(2, 2, { landing: 'unverified' }), deployment(3, 3)],
      [3, 1],
    ],
    ['the one before failed', [deployment(1, 1), deployment(2, 2, failed), deployment(3, 3)], [3, 1]],
    ['two failed in a row', [deployment(1, 1), deployment(2, 2, failed), deployment(3, 3, failed)], [3, 1]],
    [
      'one was cancelled',
      [deployment(1, 1), deployment(2, 2), deployment(3, 3, { state: 'cancelled', landing: null })],
      [3, 2],
    ],
    [
      'the last of a release stands for it',
      [deployment(1, 1), deployment(2, 2), deployment(3, 1), deployment(4, 3)],
      [4, 3],
    ],
  ];
  for (const [name, jobs, expected] of table) assert.deepEqual(outcome(pastOf(jobs)), expected, name);
});

test('a second rollback goes further back, and forth again only when nothing else is left or it is named', () => {
  const rollback = { kind: 'rollback' } as const;
  const three = [deployment(1, 1), deployment(2, 2), deployment(3, 3, undoneDeployment), deployment(4, 2, rollback)];
  assert.deepEqual(outcome(pastOf(three)), [4, 1]);
  assert.deepEqual(outcome(pastOf(three, { wanted: idOf(3) })), [4, 3]);
  assert.deepEqual(
    outcome(pastOf([deployment(1, 1), deployment(2, 2, undoneDeployment), deployment(3, 1, rollback)])),
    [3, 2],
  );
});

test('after a rollback that failed another one goes to the same place', () => {
  const jobs = [
    deployment(1, 1),
    deployment(2, 2, { state: 'rollback_failed' }),
    deployment(3, 1, { ...failed, kind: 'rollback' }),
  ];
  assert.deepEqual(outcome(pastOf(jobs)), [3, 1]);
  assert.deepEqual(
    rollbackChoices(pastOf(jobs)).map(({ id }) => id),
    [idOf(1), idOf(2)],
  );
});

test('a release on hold is no choice, and where no other is left, the hold is told', () => {
  const jobs = [deployment(1, 1), deployment(2, 2), deployment(3, 3)];
  const holds = (...releases: number[]) => new Map(releases.map((n) => [releaseOf(n), 'It leaks.']));
  assert.deepEqual(outcome(pastOf(jobs, { holds: holds(2) })), [3, 1]);
  assert.deepEqual(outcome(pastOf(jobs, { holds: holds(2), wanted: idOf(2) })), 'REL_NOT_READY');
  assert.deepEqual(outcome(pastOf(jobs, { holds: holds(2), wanted: idOf(1) })), [3, 1]);
  const all = rollbackRefusal(pastOf(jobs, { holds: holds(1, 2) }));
  assert.deepEqual(
    [all?.code, all?.details],
    ['REL_NOT_READY', { release: releaseOf(2), deploymentId: idOf(2), hold: 'It leaks.' }],
  );
  // The running release may be on hold because of a fault, which must not prevent its rollback.
  assert.deepEqual(outcome(pastOf(jobs, { holds: holds(3) })), [3, 2]);
});

test('a deployment that is none of the choices is not brought back, and the choices are told', () => {
  const jobs = [deployment(1, 1), deployment(2, 2, failed), deployment(3, 1), deployment(4, 3)];
  for (const expected of [idOf(1), idOf(2), idOf(4), idOf(77)]) {
    const refusal = rollbackRefusal(pastOf(jobs, { wanted: expected }));
    assert.equal(refusal?.code, 'DEPLOY_NOTHING_TO_ROLLBACK', expected);
    assert.deepEqual(refusal.details, { environmentId: ENVIRONMENT, deploymentId: expected, choices: [idOf(3)] });
  }
});

test('only the last deployment of an environment is undone', () => {
  const ruleCase = pastOf([deployment(1, 1), deployment(2, 2)]);
  assert.equal(undoRefusal(deployment(2, 2), ruleCase), undefined);
  assert.equal(codeOf(undoRefusal(deployment(1, 1), ruleCase)), 'RES_CONFLICT');
  assert.equal(codeOf(undoRefusal(deployment(1, 1), pastOf([deployment(1, 1)]))), 'DEPLOY_NOTHING_TO_ROLLBACK');
});

test('whatever the past was, a rollback brings back one of the choices, verified, not held and not what runs', () => {
  const anyDeployment = fc.record({
    release: fc.integer({ min: 1, max: 4 }),
    state: fc.constantFrom(...states),
    kind: fc.constantFrom('deploy' as const, 'rollback' as const),
    landing: fc.constantFrom('verified' as const, 'unverified' as const, 'mismatch' as const, null),
  });
  const anyHolds = fc.subarray([1, 2, 3, 4]);
  fc.assert(
    fc.property(fc.array(anyDeployment, { maxLength: 12 }), anyHolds, (given, holds) => {
      const jobs = given.map(({ release, ...over }, i) => deployment(i + 1, release, over));
      const ruleCase = pastOf(jobs, { holds: new Map(holds.map((n) => [releaseOf(n), 'Held.'])) });
      const choices = rollbackChoices(ruleCase);
      assert.equal(new Set(choices.map(({ releaseId }) => releaseId)).size, choices.length, 'one a release');
      const found = rollbackOf(ruleCase);
      if (found instanceof Fault) {
        assert(choices.length === 0 || (ruleCase.newest && !isEnded(ruleCase.newest)));
        return;
      }
      const { undone: newest, restored } = found;
      assert.equal(newest, jobs.at(-1));
      assert.equal(restored, choices[0]);
      assert.equal(restored.landing, 'verified');
      assert(!ruleCase.holds.has(restored.releaseId));
      if (newest.state === 'completed') assert.notEqual(restored.releaseId, newest.releaseId);
      for (const { id } of choices) assert.equal(rollbackRefusal({ ...ruleCase, wanted: id }), undefined);
    }),
    { numRuns: 1_000 },
  );
});

test('before a rollback an unhealthy target and an image that the agents keep are unknown, and nothing else is eased', () => {
  const unhealthy: Finding = { subject: 'web-1', status: 'fail', reason: 'target-unhealthy', detail: 'HTTP 500' };
  assert.deepEqual(adaptForRollback(unhealthy, false), { subject: 'web-1', status: 'unknown', detail: 'HTTP 500' });
  const removed: Finding = { subject: 'web', status: 'fail', reason: 'artifact-missing', detail: 'not found' };
  assert.deepEqual(adaptForRollback(removed, false), removed);
  assert.equal(adaptForRollback(removed, true).status, 'unknown');
  for (const finding of [
    { subject: 'a', status: 'fail', reason: 'agent-offline' },
    { subject: 'a', status: 'pass' },
  ] as const)
    assert.deepEqual(adaptForRollback(finding, true), finding);
});

// spec: 2.10/anatomy-places
test('a rollback fails at the stage rollback, and without its images of having nowhere to go', () => {
  const subject = { releaseId: 'r', environmentId: 'e', deploymentId: 'd' };
  const probe = rollbackAnatomy(classify('health-probe', 'probe-failed', 'HTTP 500', subject), subject);
  assert.deepEqual([probe.stage, probe.category, probe.reason], ['rollback', 'HealthCheckFailed', 'probe-failed']);
  const removed = rollbackAnatomy(classify('preflight', 'artifact-missing', 'web is gone', subject), subject);
  assert.deepEqual(
    [removed.stage, removed.category, removed.reason, removed.detail, removed.retryable],
    ['rollback', 'RollbackNotEligible', 'no-verified-predecessor', 'web is gone', false],
  );
});
