import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '@landfall/kernel/db/sql';
import { table, text } from '@landfall/kernel/db/table';
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

const retryOf = (world: RollbackScenario, id: string, as: 'operator' | 'approver' = 'operator') =>
  world.module.deployments.retry(world.caller(as), { id });

const said = table('kernel.events.said', { type: text, actor: text });

const RETRY = `query ($id: ID!) { deployment(id: $id) { retryOf { id status } strategy
  targets { timeline { stage step detail } } } }`;

// spec: 2.10/anatomy-retryable, 3/promotion-states
test('what failed of a passing cause is deployed again by a promotion of its own, with the approvals it had', async () => {
  await using world = await rollbackScenario({ requiredApprovals: 1 });
  const failed = await world.deploy(unreachable);
  const { id } = await retryOf(world, failed.id, 'approver');
  await world.answer();
  const deployment = await world.read(id);
  assert.deepEqual([deployment.state, deployment.landing, deployment.retryOfId], ['completed', 'verified', failed.id]);
  const [old, anew] = [await world.promotionOf(failed), await world.promotionOf(deployment)];
  assert.deepEqual([old.state, anew.state, anew.retryOfId], ['failed', 'deployed', old.id]);
  const request = ({ reason, requestedBy, requestedThrough }: typeof old) => [reason, requestedBy, requestedThrough];
  assert.deepEqual(request(anew), request(old));
  assert.deepEqual(anew.requestedThrough, ['console']);
  const given = ({ approvals }: typeof old) => approvals.map(({ promotionId: _promotion, ...approval }) => approval);
  assert.deepEqual(given(anew), given(old));
  assert.equal(given(anew).length, 1);
  const events = await world.rows(
    said,
    sql`/* test */ select type, actor from kernel.events where entity_id in (${anew.id}, ${id}) and type like '%.retry'
      order by id`,
  );
  const by = world.caller('approver').subject;
  assert.deepEqual(
    events.map(({ type, actor }) => [type, actor]),
    [
      ['promotion.retry', by],
      ['deployment.retry', by],
    ],
  );
  const { data, errors } = await world.graph(RETRY, { id });
  assert.equal(errors, undefined);
  const { retryOf: again, targets } = plain(data).deployment;
  assert.deepEqual(again, { id: failed.id, status: 'FAILED' });
  for (const { timeline } of targets)
    assert.deepEqual(timeline[0], { stage: 'retry-prep', step: 'requested', detail: 'registry-unreachable' });
});

test('a retry keeps the plan that was launched, as long as it fits the targets', async () => {
  await using world = await rollbackScenario({ defaultStrategy: 'rolling' });
  const release = await world.seed.ready();
  const { id: promotionId } = await world.seed.approved(release, world.environment);
  const operator = world.caller('operator');
  const params = { canarySteps: [1, 100], gate: 'none' };
  const launched = await world.module.deployments.launch(operator, { promotionId, strategy: 'canary', params });
  await world.answer(unreachable);
  const once = await retryOf(world, launched.id);
  assert.deepEqual(once.plan, launched.plan);
  await world.answer(unreachable);
  await world.seed.target(world.environment, world.agent);
  const twice = await retryOf(world, once.id);
  assert.deepEqual([twice.plan.requestedStrategy, twice.plan.targetCount], ['canary', 3]);
});

test('a cause that does not pass by itself is not tried again', async () => {
  await using world = await rollbackScenario();
  const failed = await world.deploy(broken);
  await assert.rejects(
    retryOf(world, failed.id),
    refusal('RES_CONFLICT', { retryable: false, category: 'HealthCheckFailed' }),
  );
  const { data } = await world.graph('query ($id: ID!) { deployment(id: $id) { viewerCanRetry { allowed code } } }', {
    id: failed.id,
  });
  assert.deepEqual(plain(data).deployment.viewerCanRetry, { allowed: false, code: 'RES_CONFLICT' });
});

test('what ran other bytes on one target is not tried again, whatever the others failed of', async () => {
  await using world = await rollbackScenario();
  const foreign = `sha256:${'f'.repeat(64)}`;
  const { id, state, landing, anatomy, targets } = await world.deploy((assignment) =>
    assignment.task.targetId === world.targets[0]?.id
      ? failedAt('registry-unreachable', 'ECONNREFUSED')
      : landedAt(assignment, { platformDigest: foreign, observedDigest: foreign }),
  );
  assert.deepEqual([state, landing, anatomy?.category], ['failed', 'mismatch', 'DigestMismatch']);
  assert.deepEqual(
    targets.map((target) => target.anatomy?.category),
    ['RegistryUnreachable', 'DigestMismatch'],
  );
  await assert.rejects(retryOf(world, id), refusal('RES_CONFLICT', { retryable: false, category: 'DigestMismatch' }));
});

test('only the last word of an environment is tried again, and nothing beside what is under way', async () => {
  await using world = await rollbackScenario();
  const first = await world.deploy();
  await assert.rejects(retryOf(world, first.id), refusal('RES_CONFLICT', { state: 'completed', allowed: ['failed'] }));
  const failed = await world.deploy(unreachable);
  const results = await Promise.allSettled(Array.from({ length: 4 }, () => retryOf(world, failed.id)));
  const [made, ...others] = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  assert(made);
  assert.deepEqual(others, []);
  for (const result of results)
    if (result.status === 'rejected')
      assert(refusal('DEPLOY_IN_PROGRESS', { deploymentId: made.id })(result.reason), String(result.reason));
  await world.answer(unreachable);
  await assert.rejects(retryOf(world, failed.id), refusal('RES_CONFLICT', { state: 'failed', newest: made.id }));
  const rollback = await world.ask();
  await assert.rejects(
    retryOf(world, made.id),
    refusal('RES_CONFLICT', { state: 'rollback_in_progress', allowed: ['failed'] }),
  );
  await world.answer(unreachable);
  await assert.rejects(
    retryOf(world, rollback.id),
    refusal('RES_CONFLICT', { retryable: false, category: 'RegistryUnreachable' }),
  );
  await assert.rejects(retryOf(world, first.releaseId), refusal('RES_NOT_FOUND'));
});

test('a retry passes every check of a launch, and a refused one leaves nothing behind', async () => {
  await using world = await rollbackScenario({ requiredApprovals: 1, separationOfDuties: 'author' });
  const failed = await world.deploy(unreachable);
  const operator = world.caller('operator');
  await assert.rejects(retryOf(world, failed.id, 'approver'), refusal('PERM_SOD_VIOLATION'));
  const button = async () => {
    const { data } = await world.graph('query ($id: ID!) { deployment(id: $id) { viewerCanRetry { allowed code } } }', {
      id: failed.id,
    });
    return plain(data).deployment.viewerCanRetry;
  };
  assert.deepEqual(await button(), { allowed: true, code: null });
  {
    using _gone = world.registry.fault({ kind: 'status', match: 'manifests', status: 404 });
    await assert.rejects(
      retryOf(world, failed.id),
      refusal('preflight_failed', { failedCheckKeys: ['image-resolvable'] }),
    );
  }
  const { version: expectedVersion } = await world.module.releases.get(operator, { id: failed.releaseId });
  await world.module.releases.hold(operator, { id: failed.releaseId, expectedVersion, reason: WHY });
  await assert.rejects(retryOf(world, failed.id), refusal('REL_NOT_READY'));
  assert.deepEqual(await button(), { allowed: false, code: 'REL_NOT_READY' });
  await world.module.releases.clearHold(operator, { id: failed.releaseId, expectedVersion: expectedVersion + 1 });
  const waiting = await world.seed.promotion(failed.release, world.environment);
  await assert.rejects(retryOf(world, failed.id), refusal('PROM_ALREADY_EXISTS'));
  assert.deepEqual(await button(), { allowed: false, code: 'PROM_ALREADY_EXISTS' });
  await world.module.promotions.cancel(operator, { id: waiting.id, reason: 'The retry will do.' });
  await world.module.releases.deprecate(operator, {
    id: failed.releaseId,
    expectedVersion: expectedVersion + 2,
    reason: 'Out of support.',
  });
  await assert.rejects(retryOf(world, failed.id), refusal('REL_DEPRECATED'));
  const { items } = await world.module.promotions.list(operator, { filter: { releaseId: failed.releaseId } });
  assert.deepEqual(
    items.map(({ state }) => state),
    ['cancelled', 'failed'],
  );
});
