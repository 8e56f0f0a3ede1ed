import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { failedReport, failure } from '@landfall/agent/protocol/failure';
import type { ErrorClass } from '@landfall/agent/protocol/messages';
import type { FaultCode } from '@landfall/schema/codes';
import { deployingApp, landedAt, leased } from '../../testing/deploying-app.ts';

const app = await deployingApp();
after(() => app[Symbol.asyncDispose]());

/** Position of the next environment in the promotion path: before those of earlier tests. */
let orderIndex = 100;

const QUERY = `query ($id: ID!) { deployment(id: $id) {
  failureAnatomy { errorCode }
  failureGroups { category errorCodes count }
  targets { name failureAnatomy { category errorCode } } } }`;

/**
 * Deploys to targets whose agent sends these reports, one for each target, and reads the deployment through GraphQL.
 */
const deployed = async (...reports: readonly object[]) => {
  orderIndex -= 1;
  const environment = await app.seed.environment({ requiredApprovals: 0, orderIndex });
  const agent = await app.register();
  for (const _ of reports) await app.seed.target(environment, agent);
  const { id: promotionId } = await app.seed.approved(await app.seed.ready(), environment);
  const { id } = await app.launch(promotionId);
  for (const report of reports) {
    const assignment = await leased(app, agent);
    await app.report(agent, assignment, 1, 'step' in report ? report : landedAt(assignment, report));
  }
  const { data, errors } = await app.graph(QUERY, { id });
  assert.equal(errors, undefined);
  return JSON.parse(JSON.stringify(data)).deployment;
};

/** Report of a failure with a code of the agent. */
const reported = (code: FaultCode, errorClass: ErrorClass, raw = 'as seen') => ({
  ...failedReport(failure(code, errorClass, raw), 'pulled'),
  log: '',
});

const failures = [
  ['DEPLOY_ARTIFACT_MISSING', 'artifact-missing', 'Unclassified'],
  ['DEPLOY_PULL_FAILED', 'registry-unreachable', 'RegistryUnreachable'],
  ['DEPLOY_DIGEST_VERIFICATION_FAILED', 'digest-mismatch', 'DigestMismatch'],
  ['DEPLOY_HEALTH_CHECK_FAILED', 'probe-failed', 'HealthCheckFailed'],
  ['AGT_TASK_FAILED', 'start-failed', 'Unclassified'],
] as const;

// spec: 7.2/DEPLOY_ARTIFACT_MISSING, 7.2/DEPLOY_PULL_FAILED, 7.2/DEPLOY_DIGEST_VERIFICATION_FAILED
// spec: 7.2/DEPLOY_HEALTH_CHECK_FAILED, 7.2/AGT_TASK_FAILED
test('the code of an agent’s failure is kept with the target, its group and the deployment', async () => {
  for (const [code, errorClass, category] of failures) {
    const { failureAnatomy, failureGroups, targets } = await deployed(reported(code, errorClass));
    assert.deepEqual(failureAnatomy, { errorCode: code });
    assert.deepEqual(failureGroups, [{ category, errorCodes: [code], count: 1 }]);
    assert.deepEqual(targets[0].failureAnatomy, { category, errorCode: code });
  }
});

test('a group names each code of its targets once; one class may come with two codes', async () => {
  const { failureGroups } = await deployed(
    reported('AGT_TASK_FAILED', 'unclassified'),
    reported('DEPLOY_PULL_FAILED', 'unclassified'),
    reported('AGT_TASK_FAILED', 'unclassified'),
  );
  assert.equal(failureGroups.length, 1);
  assert.equal(failureGroups[0].count, 3);
  assert.deepEqual(failureGroups[0].errorCodes.toSorted(), ['AGT_TASK_FAILED', 'DEPLOY_PULL_FAILED']);
});

test('a failure that no agent reported has no code: the orchestrator judged the landing', async () => {
  const other = `sha256:${'f'.repeat(64)}`;
  const { failureAnatomy, failureGroups } = await deployed({ platformDigest: other, observedDigest: other });
  assert.deepEqual(failureAnatomy, { errorCode: null });
  assert.deepEqual(failureGroups, [{ category: 'DigestMismatch', errorCodes: [], count: 1 }]);
});
