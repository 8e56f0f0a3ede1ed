import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorClass } from '@landfall/agent/protocol/messages';
import { classify, classifyReport, type Reason, reasons, stages } from './anatomy.ts';

const subject = { releaseId: 'r', environmentId: 'e', deploymentId: 'd' };

// spec: 2.10/anatomy-detail, rulings/51
test('an anatomy keeps the raw text byte for byte', () => {
  const raw = 'dial tcp 10.0.0.1:443: connect: connection refused\n\tat step 3 — “quoted”\u0000';
  assert.equal(classify('execution', 'registry-unreachable', raw, subject).detail, raw);
});

// spec: 2.10/anatomy-retryable
test('only timeouts, unreachable registries and offline agents may be retried', () => {
  const retryable = new Set(['Timeout', 'RegistryUnreachable', 'AgentOffline']);
  for (const reported of errorClass.enum) {
    const anatomy = classifyReport(
      { during: 'pulled', code: 'AGT_TASK_FAILED', errorClass: reported, raw: '' },
      subject,
    );
    assert.equal(anatomy.retryable, retryable.has(anatomy.category), reported);
  }
});

// spec: 2.10/anatomy-unclassified
test('what nobody knows is Unclassified, with its text and without a path', () => {
  const anatomy = classifyReport(
    { during: 'started', code: 'AGT_TASK_FAILED', errorClass: 'unclassified', raw: 'segfault' },
    subject,
  );
  assert.deepEqual(
    [anatomy.category, anatomy.reason, anatomy.detail, anatomy.actionPath],
    ['Unclassified', 'unclassified', 'segfault', null],
  );
});

test('a red probe belongs to the health-probe stage, a failed pull to execution', () => {
  for (const during of ['probed', 'done'] as const)
    assert.equal(
      classifyReport({ during, code: 'DEPLOY_HEALTH_CHECK_FAILED', errorClass: 'probe-failed', raw: '' }, subject)
        .stage,
      'health-probe',
    );
  assert.equal(
    classifyReport({ during: 'pulled', code: 'DEPLOY_PULL_FAILED', errorClass: 'disk-full', raw: '' }, subject).stage,
    'execution',
  );
});

// spec: 2.10/anatomy-landing-mismatch, rulings/50
test('foreign bytes are DigestMismatch, and a refused registry login is SecretResolution', () => {
  const categories = (['digest-mismatch', 'registry-unauthorized', 'platform-unsupported'] as const).map(
    (reported) =>
      classifyReport({ during: 'pulled', code: 'AGT_TASK_FAILED', errorClass: reported, raw: '' }, subject).category,
  );
  assert.deepEqual(categories, ['DigestMismatch', 'SecretResolution', 'UnsupportedTarget']);
});

// spec: 2.10/anatomy-categories
test('the causes that are known have the specified categories, each of them, and no other', () => {
  const categories = new Set(reasons.map((reason) => classify('execution', reason, '', subject).category));
  assert.deepEqual([...categories].toSorted(), [
    'AgentOffline',
    'AgentUnassigned',
    'DependencyGraph',
    'DigestMismatch',
    'HealthCheckFailed',
    'NoHealthyTargets',
    'NoTargetsEnrolled',
    'PreflightFailed',
    'RegistryUnreachable',
    'RollbackNotEligible',
    'SecretResolution',
    'StrategyGateHalted',
    'StrategyPlanIncomplete',
    'TargetNotFound',
    'Timeout',
    'Unclassified',
    'UnsupportedTarget',
  ]);
});

// spec: rulings/27
test('a missing artifact and a full disk are Unclassified by reasons of their own, and a refused login is final', () => {
  const of = (reported: (typeof errorClass.enum)[number]) => {
    const anatomy = classifyReport(
      { during: 'pulled', code: 'AGT_TASK_FAILED', errorClass: reported, raw: '' },
      subject,
    );
    return [anatomy.category, anatomy.reason, anatomy.retryable];
  };
  assert.deepEqual(of('artifact-missing'), ['Unclassified', 'artifact-missing', false]);
  assert.deepEqual(of('disk-full'), ['Unclassified', 'disk-full', false]);
  assert.deepEqual(of('registry-unauthorized'), ['SecretResolution', 'registry-unauthorized', false]);
  assert.equal(of('digest-mismatch')[0], 'DigestMismatch');
});

// spec: 2.10/anatomy-action-path, rulings/59
test('an action path is whole, or null', () => {
  const promotion = [
    'secret-not-found',
    'probe-failed',
    'artifact-missing',
    'agent-offline',
    'digest-mismatch',
    'disk-full',
  ] satisfies Reason[];
  const digest = `sha256:${'a'.repeat(64)}`;
  const paths = promotion.map((reason) => classify('preflight', reason, '', { ...subject, digest }).actionPath);
  assert.deepEqual(paths, [
    '/api/v1/release-orchestrator/releases/r/deploy-preflight?environmentId=e',
    '/api/v1/release-orchestrator/deployments/d',
    '/api/v1/release-orchestrator/releases/r',
    '/api/v1/release-orchestrator/estate/status',
    `/api/v1/release-orchestrator/estate/digest/${digest}`,
    null,
  ]);
  assert.equal(classify('execution', 'digest-mismatch', '', subject).actionPath, null, 'no digest is no path');
});

test('without an environment an action path has no empty parameter', () => {
  const { actionPath } = classify('preflight', 'secret-not-found', '', { releaseId: 'r' });
  assert.equal(actionPath, '/api/v1/release-orchestrator/releases/r/deploy-preflight');
});

test('a secret that is missing at the lease belongs to the assembly of the bundle', () => {
  const anatomy = classifyReport(
    { during: 'resolved', code: 'AGT_TASK_FAILED', errorClass: 'secret-not-found', raw: '' },
    subject,
  );
  assert.deepEqual([anatomy.stage, anatomy.category], ['bundle-assembly', 'SecretResolution']);
});

test('there are the nine stages of the specification', () => {
  assert.equal(new Set(stages).size, 9);
});

// spec: 2.10/anatomy-stages
test('a stage is one of the nine specified slugs', () => {
  assert.deepEqual([...stages].toSorted(), [
    'artifact-generation',
    'bundle-assembly',
    'execution',
    'health-probe',
    'preflight',
    'retry-prep',
    'rollback',
    'strategy-planning',
    'traffic-gate',
  ]);
});
