import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { refusal } from '../../testing/catalogue-app.ts';
import { failedAt, landedAt } from '../../testing/deploying-app.ts';
import {
  broken,
  plain,
  type RollbackScenario,
  rollbackScenario,
  unreachable,
  WHY,
} from '../rollback/rollback.fixture.ts';

const retryOf = (scenario: RollbackScenario, id: string, as: 'operator' | 'approver' = 'operator') =>
  scenario.module.deployments.retry(scenario.caller(as), { id });

const recorded = table('kernel.events.said', { type: text, actor: text });

const RETRY = `query ($id: ID!) { deployment(id: $id) { retryOf { id status } strategy
  targets { timeline { stage step detail } } } }`;

// spec: 2.10/anatomy-retryable, 3/promotion-states
test('what failed of a passing cause is deployed again by a promotion of its own, with the approvals it had', async () => {
  await using scenario = await rollbackScenario({ requiredApprovals: 1 });
  const failed = await scenario.deploy(unreachable);
  const { id } = await retryOf(scenario, failed.id, 'approver');
  await scenario.answer();
  const deployment = await scenario.read(id);
  assert.deepEqual([deployment.state, deployment.landing, deployment.retryOfId], ['completed', 'verified', failed.id]);
  const [old, again] = [await scenario.promotionOf(failed), await scenario.promotionOf(deployment)];
  assert.deepEqual([old.state, again.state, again.retryOfId], ['failed', 'deployed', old.id]);
  const request = ({ reason, requestedBy, requestedThrough }: typeof old) => [reason, requestedBy, requestedThrough];
  assert.deepEqual(request(again), request(old));
  assert.deepEqual(again.requestedThrough, ['console']);
  const approvals = ({ approvals }: typeof old) =>
    approvals.map(({ promotionId: _promotion, ...approval }) => approval);
  assert.deepEqual(approvals(again), approvals(old));
  assert.equal(approvals(again).length, 1);
  const events = await scenario.rows(
    recorded,
    sql`/* test */ select type, actor from kernel.events where entity_id in (${again.id}, ${id}) and type like '%.retry'
      order by id`,
  );
  const by = scenario.caller('approver').subject;
  assert.deepEqual(
    events.map(({ type, actor }) => [type, actor]),
    [
      ['promotion.retry', by],
      ['deployment.retry', by],
    ],
  );
  const { data, errors } = await scenario.graph(RETRY, { id });
  assert.equal(errors, undefined);
  const { retryOf: repeated, targets } = plain(data).deployment;
  assert.deepEqual(repeated, { id: failed.id, status: 'FAILED' });
  for (const { timeline } of targets)
    assert.deepEqual(timeline[0], { stage: 'retry-prep', step: 'requested', detail: 'registry-unreachable' });
});

test('a retry keeps the plan that was launched, as long as it fits the targets', async () => {
  await using scenario = await rollbackScenario({ defaultStrategy: 'rolling' });
  const release = await scenario.seed.ready();
  const { id: promotionId } = await scenario.seed.approved(release, scenario.environment);
  const operator = scenario.caller('operator');
  const params = { canarySteps: [1, 100], gate: 'none' };
  const launched = await scenario.module.deployments.launch(operator, { promotionId, strategy: 'canary', params });
  await scenario.answer(unreachable);
  const once = await retryOf(scenario, launched.id);
  assert.deepEqual(once.plan, launched.plan);
  await scenario.answer(unreachable);
  await scenario.seed.target(scenario.environment, scenario.agent);
  const duplicated = await retryOf(scenario, once.id);
  assert.deepEqual([duplicated.plan.requestedStrategy, duplicated.plan.targetCount], ['canary', 3]);
});

test('a cause that does not pass by itself is not tried again', async () => {
  await using scenario = await rollbackScenario();
  const failed = await scenario.deploy(broken);
  await assert.rejects(
    retryOf(scenario, failed.id),
    refusal('RES_CONFLICT', { retryable: false, category: 'HealthCheckFailed' }),
  );
  const { data } = await scenario.graph(
    'query ($id: ID!) { deployment(id: $id) { viewerCanRetry { allowed code } } }',
    {
      id: failed.id,
    },
  );
  assert.deepEqual(plain(data).deployment.viewerCanRetry, { allowed: false, code: 'RES_CONFLICT' });
});

test('what ran other bytes on one target is not tried again, whatever the others failed of', async () => {
  await using scenario = await rollbackScenario();
  const other = `sha256:${'f'.repeat(64)}`;
  const { id, state, landing, anatomy, targets } = await scenario.deploy((assignment) =>
    assignment.task.targetId === scenario.targets[0]?.id
      ? failedAt('registry-unreachable', 'ECONNREFUSED')
      : landedAt(assignment, { platformDigest: other, observedDigest: other }),
  );
  assert.deepEqual([state, landing, anatomy?.category], ['failed', 'mismatch', 'DigestMismatch']);
  assert.deepEqual(
    targets.map((target) => target.anatomy?.category),
    ['RegistryUnreachable', 'DigestMismatch'],
  );
  await assert.rejects(
    retryOf(scenario, id),
    refusal('RES_CONFLICT', { retryable: false, category: 'DigestMismatch' }),
  );
});

test('only the last word of an environment is tried again, and nothing beside what is under way', async () => {
  await using scenario = await rollbackScenario();
  const first = await scenario.deploy();
  await assert.rejects(
    retryOf(scenario, first.id),
    refusal('RES_CONFLICT', { state: 'completed', allowed: ['failed'] }),
  );
  const failed = await scenario.deploy(unreachable);
  const results = await Promise.allSettled(Array.from({ length: 4 }, () => retryOf(scenario, failed.id)));
  const [created, ...others] = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  assert(created);
  assert.deepEqual(others, []);
  for (const result of results)
    if (result.status === 'rejected')
      assert(refusal('DEPLOY_IN_PROGRESS', { deploymentId: created.id })(result.reason), String(result.reason));
  await scenario.answer(unreachable);
  await assert.rejects(retryOf(scenario, failed.id), refusal('RES_CONFLICT', { state: 'failed', newest: created.id }));
  const rollback = await scenario.ask();
  await assert.rejects(
    retryOf(scenario, created.id),
    refusal('RES_CONFLICT', { state: 'rollback_in_progress', allowed: ['failed'] }),
  );
  await scenario.answer(unreachable);
  await assert.rejects(
    retryOf(scenario, rollback.id),
    refusal('RES_CONFLICT', { retryable: false, category: 'RegistryUnreachable' }),
  );
  await assert.rejects(retryOf(scenario, first.releaseId), refusal('RES_NOT_FOUND'));
});

test('a retry passes every check of a launch, and a refused one leaves nothing behind', async () => {
  await using scenario = await rollbackScenario({ requiredApprovals: 1, separationOfDuties: 'author' });
  const failed = await scenario.deploy(unreachable);
  const operator = scenario.caller('operator');
  await assert.rejects(retryOf(scenario, failed.id, 'approver'), refusal('PERM_SOD_VIOLATION'));
  const button = async () => {
    const { data } = await scenario.graph(
      'query ($id: ID!) { deployment(id: $id) { viewerCanRetry { allowed code } } }',
      {
        id: failed.id,
      },
    );
    return plain(data).deployment.viewerCanRetry;
  };
  assert.deepEqual(await button(), { allowed: true, code: null });
  {
    using _gone = scenario.registry.fault({ kind: 'status', match: 'manifests', status: 404 });
    await assert.rejects(
      retryOf(scenario, failed.id),
      refusal('preflight_failed', { failedCheckKeys: ['image-resolvable'] }),
    );
  }
  const { version: expectedVersion } = await scenario.module.releases.get(operator, { id: failed.releaseId });
  await scenario.module.releases.hold(operator, { id: failed.releaseId, expectedVersion, reason: WHY });
  await assert.rejects(retryOf(scenario, failed.id), refusal('REL_NOT_READY'));
  assert.deepEqual(await button(), { allowed: false, code: 'REL_NOT_READY' });
  await scenario.module.releases.clearHold(operator, { id: failed.releaseId, expectedVersion: expectedVersion + 1 });
  const waiting = await scenario.seed.promotion(failed.release, scenario.environment);
  await assert.rejects(retryOf(scenario, failed.id), refusal('PROM_ALREADY_EXISTS'));
  assert.deepEqual(await button(), { allowed: false, code: 'PROM_ALREADY_EXISTS' });
  await scenario.module.promotions.cancel(operator, { id: waiting.id, reason: 'The retry will do.' });
  await scenario.module.releases.deprecate(operator, {
    id: failed.releaseId,
    expectedVersion: expectedVersion + 2,
    reason: 'Out of support.',
  });
  await assert.rejects(retryOf(scenario, failed.id), refusal('REL_DEPRECATED'));
  const { items } = await scenario.module.promotions.list(operator, { filter: { releaseId: failed.releaseId } });
  assert.deepEqual(
    items.map(({ state }) => state),
    ['cancelled', 'failed'],
  );
});
