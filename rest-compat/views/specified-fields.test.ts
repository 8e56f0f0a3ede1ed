import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishedRoutes } from '../published.ts';

const REST = '/api/v1/release-orchestrator';

/** The published schema of a route's good answer. */
const answerOf = (method: string, path: string): Record<string, unknown> => {
  const route = publishedRoutes().find((each) => each.method === method && each.path === `${REST}${path}`);
  return Object(Object(route?.schemas).response)['200'];
};

/** Names of the fields, in the order of the answer; of each alternative where one may be null or there are two forms. */
const fieldsOf = (schema: unknown): string[] => {
  const { properties, anyOf = [] } = Object(schema);
  return properties ? Object.keys(properties) : anyOf.flatMap(fieldsOf);
};

const propertyOf = (schema: unknown, name: string): unknown => {
  const { properties, anyOf = [], items } = Object(schema);
  if (items) return propertyOf(items, name);
  if (properties) return properties[name];
  return anyOf.map((each: unknown) => propertyOf(each, name)).find((found: unknown) => found !== undefined);
};

const deployment = answerOf('GET', '/deployments/:id');
const report = answerOf('GET', '/releases/:releaseId/deploy-preflight');
const plan = answerOf('GET', '/releases/:releaseId/deploy-plan');

const ANATOMY = ['stage', 'category', 'reason', 'plainReason', 'detail', 'action', 'actionPath', 'retryable'];

// spec: 2.10/anatomy-fields
test('an anatomy has the eight specified fields wherever it stands', () => {
  assert.deepEqual(fieldsOf(propertyOf(deployment, 'failureAnatomy')), ANATOMY);
  assert.deepEqual(fieldsOf(propertyOf(propertyOf(deployment, 'targets'), 'failureAnatomy')), ANATOMY);
  assert.deepEqual(fieldsOf(propertyOf(propertyOf(report, 'checks'), 'anatomy')), ANATOMY);
});

// spec: 2.10/preflight-report
test('a preflight report has the six specified fields, and each check five', () => {
  assert.deepEqual(fieldsOf(report), ['releaseId', 'environment', 'armed', 'hasHardFail', 'failedCheckKeys', 'checks']);
  assert.deepEqual(fieldsOf(Object(propertyOf(report, 'checks')).items), [
    'key',
    'title',
    'status',
    'detail',
    'anatomy',
  ]);
});

// spec: 2.10/plan-fields
test('a plan preview has the specified fields, or says why there is none', () => {
  assert.deepEqual(fieldsOf(plan), [
    'cannotPreview',
    'reason',
    'strategy',
    'requestedStrategy',
    'targetCount',
    'phases',
    'effectiveBehaviour',
    'caveats',
  ]);
  assert.deepEqual(fieldsOf(Object(propertyOf(plan, 'phases')).items), ['index', 'targetCount', 'kind']);
});

// spec: rulings/57, rulings/30
test('a deployment is published in one of thirteen states, each a word in Pascal case', () => {
  assert.deepEqual(Object(propertyOf(deployment, 'status')).enum, [
    'Queued',
    'Preflight',
    'Planning',
    'InProgress',
    'Paused',
    'Verifying',
    'Completed',
    'Failed',
    'Cancelling',
    'Cancelled',
    'RollbackInProgress',
    'RolledBack',
    'RollbackFailed',
  ]);
});

// spec: 2.10/landing-fields
test('a deployment says its landing, each target’s landing, and its reference only once attested', () => {
  assert.ok(fieldsOf(deployment).includes('landingVerification'));
  assert.ok(fieldsOf(deployment).includes('deploymentAttestationRef'));
  assert.equal(Object(deployment).required.includes('deploymentAttestationRef'), false);
  assert.equal(Object(deployment).required.includes('landingVerification'), true);
  assert.ok(fieldsOf(propertyOf(propertyOf(deployment, 'targets'), 'landing')).includes('verdict'));
});
