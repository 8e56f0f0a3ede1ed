import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { sql } from '@landfall/kernel/db/sql';
import { table, text } from '@landfall/kernel/db/table';
import { refusal } from '../../testing/catalogue-app.ts';
import { isAssignment, landedAt, leased } from '../../testing/deploying-app.ts';
import { broken, plain, type RollbackScenario, rollbackScenario, WHY } from './rollback.fixture.ts';

const said = table('kernel.events.said', { type: text, entityId: text });

/** Lists the events of these deployments' rollbacks, oldest first. */
const told = async (world: RollbackScenario): Promise<string[][]> =>
  (
    await world.rows(
      said,
      sql`/* test */ select type, entity_id from kernel.events
        where type in ('deployment.rollback', 'deployment.rolled_back', 'deployment.rollback_failed') order by id`,
    )
  ).map(({ type, entityId }) => [type, entityId]);

const UNDOING = `query ($id: ID!) { deployment(id: $id) {
  kind status reason strategy release { id } undoes { id status undoneBy { id } }
  viewerCanRollback { allowed code } environment { currentDeployment { id } activeDeployment { id } } } }`;

// spec: 3/job-states
test('after a verified deployment a rollback brings back the one before, to the digest, and undoes it', async () => {
  await using world = await rollbackScenario();
  const first = await world.deploy();
  const second = await world.deploy();
  assert.deepEqual(await world.choices(), [first.id]);
  const { id } = await world.ask();
  assert.equal((await world.read(second.id)).state, 'rollback_in_progress');
  await world.answer();

  const job = await world.read(id);
  assert.deepEqual([job.kind, job.state, job.landing], ['rollback', 'completed', 'verified']);
  assert.deepEqual([job.releaseId, job.promotionId], [first.releaseId, first.promotionId]);
  assert.deepEqual(
    job.targets.map(({ state, landing }) => [state, landing?.observedDigest]),
    world.targets.map(() => ['succeeded', first.release.components[0]?.digest]),
  );
  const undone = await world.read(second.id);
  assert.deepEqual([undone.state, undone.landing, undone.undoneById], ['rolled_back', 'verified', id]);
  assert.equal((await world.promotionOf(first)).state, 'deployed');
  assert.equal((await world.promotionOf(second)).state, 'superseded');
  assert.deepEqual(await told(world), [
    ['deployment.rollback', id],
    ['deployment.rolled_back', second.id],
  ]);
  const { data, errors } = await world.graph(UNDOING, { id });
  assert.equal(errors, undefined);
  assert.deepEqual(plain(data).deployment, {
    kind: 'ROLLBACK',
    status: 'COMPLETED',
    reason: WHY,
    strategy: 'ALL_AT_ONCE',
    release: { id: first.releaseId },
    undoes: { id: second.id, status: 'ROLLED_BACK', undoneBy: { id } },
    viewerCanRollback: { allowed: true, code: null },
    environment: { currentDeployment: { id }, activeDeployment: null },
  });
});

test('after a deployment that failed a rollback brings back what completed before it', async () => {
  await using world = await rollbackScenario();
  const first = await world.deploy();
  const second = await world.deploy(broken);
  assert.equal(second.state, 'failed');
  const job = await world.rollBack();
  assert.deepEqual([job.state, job.releaseId], ['completed', first.releaseId]);
  const undone = await world.read(second.id);
  assert.deepEqual([undone.state, undone.anatomy?.category], ['rolled_back', 'HealthCheckFailed']);
  assert.equal((await world.promotionOf(first)).state, 'deployed');
  assert.equal((await world.promotionOf(second)).state, 'failed');
});

test('after a deployment that was cancelled on its way a rollback brings every target to one release', async () => {
  await using world = await rollbackScenario({ defaultStrategy: 'rolling', strategyParams: { batchPercent: 50 } });
  const first = await world.deploy();
  const { id: promotionId } = await world.seed.approved(await world.seed.ready(), world.environment);
  const { id } = await world.module.deployments.launch(world.caller('operator'), { promotionId });
  await world.module.runOnce.runner();
  const one = await leased(world, world.agent);
  await world.report(world.agent, one, 1, landedAt(one));
  await world.module.deployments.cancel(world.caller('operator'), { id, reason: 'Wrong release.' });
  await world.answer();
  assert.equal((await world.read(id)).state, 'cancelled');
  const job = await world.rollBack();
  assert.deepEqual([job.state, job.landing, job.releaseId], ['completed', 'verified', first.releaseId]);
  assert.equal((await world.read(id)).state, 'rolled_back');
});

test('a rollback that fails says so of both, at the stage rollback, and another one may follow', async () => {
  await using world = await rollbackScenario();
  const first = await world.deploy();
  const second = await world.deploy();
  const failed = await world.rollBack({}, broken);
  assert.deepEqual([failed.state, failed.anatomy?.stage], ['failed', 'rollback']);
  assert.deepEqual([failed.anatomy?.category, failed.anatomy?.reason], ['HealthCheckFailed', 'probe-failed']);
  assert.equal(failed.targets[0]?.anatomy?.stage, 'health-probe', 'a target tells where it failed itself');
  assert.equal((await world.read(second.id)).state, 'rollback_failed');
  assert.equal((await world.promotionOf(first)).state, 'superseded');
  assert.equal((await world.promotionOf(second)).state, 'deployed');
  const { data } = await world.graph('query ($id: ID!) { environment(id: $id) { currentDeployment { id } } }', {
    id: world.environment.id,
  });
  assert.equal(plain(data).environment.currentDeployment.id, second.id, 'nothing has taken its place');

  const again = await world.rollBack();
  assert.deepEqual([again.state, again.releaseId], ['completed', first.releaseId]);
  assert.deepEqual(
    [(await world.read(failed.id)).state, (await world.read(second.id)).state],
    ['rolled_back', 'rollback_failed'],
  );
  assert.equal((await world.promotionOf(first)).state, 'deployed');
  assert.equal((await world.promotionOf(second)).state, 'superseded');
  assert.deepEqual(
    (await told(world)).map(([type]) => type),
    ['deployment.rollback', 'deployment.rollback_failed', 'deployment.rollback', 'deployment.rolled_back'],
  );
});

// spec: 7.2/DEPLOY_ROLLBACK_IN_PROGRESS
test('of many rollbacks at once exactly one is made, and the others are told of it', async () => {
  await using world = await rollbackScenario();
  const first = await world.deploy();
  await world.deploy();
  const third = await world.deploy();
  const asked = [{}, {}, {}, { toDeploymentId: first.id }, { toDeploymentId: first.id }, {}];
  const results = await Promise.allSettled(asked.map((over) => world.ask(over)));
  const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  assert.equal(made.length, 1);
  for (const result of results)
    if (result.status === 'rejected')
      assert(
        refusal('DEPLOY_ROLLBACK_IN_PROGRESS', { deploymentId: made[0]?.id })(result.reason),
        String(result.reason),
      );
  assert.equal((await world.read(third.id)).undoneById, made[0]?.id);
});

// spec: rulings/55
test('while one thing is under way another is refused by the code that says which', async () => {
  await using world = await rollbackScenario();
  await world.deploy();
  const second = await world.deploy();
  const { id: promotionId } = await world.seed.approved(await world.seed.ready(), world.environment);
  const operator = world.caller('operator');
  const rollback = await world.ask();
  await assert.rejects(
    world.module.deployments.launch(operator, { promotionId }),
    refusal('DEPLOY_ROLLBACK_IN_PROGRESS', { deploymentId: rollback.id }),
  );
  for (const id of [rollback.id, second.id])
    await assert.rejects(
      world.module.deployments.cancel(operator, { id, reason: 'No.' }),
      refusal('DEPLOY_ROLLBACK_IN_PROGRESS'),
    );
  await world.answer();
  const launched = await world.module.deployments.launch(operator, { promotionId });
  await assert.rejects(world.ask(), refusal('DEPLOY_IN_PROGRESS', { deploymentId: launched.id }));
});

test('a rollback of a rollback goes further back, forth to what is named, and both stand in the history', async () => {
  await using world = await rollbackScenario();
  const [first, second, third] = [await world.deploy(), await world.deploy(), await world.deploy()];
  const back = await world.rollBack();
  assert.equal(back.releaseId, second.releaseId);
  assert.deepEqual(await world.choices(), [first.id, third.id]);
  const forth = await world.rollBack({ toDeploymentId: third.id });
  assert.deepEqual(
    [forth.state, forth.releaseId, forth.promotionId],
    ['completed', third.releaseId, third.promotionId],
  );
  assert.equal((await world.read(back.id)).state, 'rolled_back');
  assert.equal((await world.promotionOf(third)).state, 'deployed');
  assert.equal((await world.promotionOf(second)).state, 'superseded');
  const further = await world.rollBack();
  assert.equal(further.releaseId, first.releaseId);
});

// spec: 7.2/DEPLOY_NOTHING_TO_ROLLBACK
test('there is nothing to go back to before a second release has landed, and what is named must be a choice', async () => {
  await using world = await rollbackScenario();
  await assert.rejects(world.ask(), refusal('DEPLOY_NOTHING_TO_ROLLBACK'));
  const first = await world.deploy();
  await assert.rejects(world.ask(), refusal('DEPLOY_NOTHING_TO_ROLLBACK', { choices: [] }));
  const second = await world.deploy();
  await assert.rejects(
    world.ask({ toDeploymentId: second.id }),
    refusal('DEPLOY_NOTHING_TO_ROLLBACK', { deploymentId: second.id, choices: [first.id] }),
  );
  await assert.rejects(world.ask({ toDeploymentId: first.releaseId }), refusal('RES_NOT_FOUND'));
  await assert.rejects(world.ask({ environmentId: first.releaseId }), refusal('RES_ENVIRONMENT_NOT_FOUND'));
  await assert.rejects(world.ask({ reason: 'Too short' }), refusal('VAL_TOO_SHORT'));
  await assert.rejects(
    world.module.deployments.rollback(world.caller('viewer'), { environmentId: world.environment.id, reason: WHY }),
    refusal('PERM_SCOPE_DENIED'),
  );
});

test('a deprecated release comes back, one on hold does not', async () => {
  await using world = await rollbackScenario();
  const [first, second] = [await world.deploy(), await world.deploy()];
  await world.deploy();
  const operator = world.caller('operator');
  const { version } = await world.module.releases.get(operator, { id: second.releaseId });
  await world.module.releases.hold(operator, {
    id: second.releaseId,
    expectedVersion: version,
    reason: 'It leaks memory.',
  });
  assert.deepEqual(await world.choices(), [first.id]);
  await assert.rejects(
    world.ask({ toDeploymentId: second.id }),
    refusal('REL_NOT_READY', { hold: 'It leaks memory.' }),
  );
  const { version: expectedVersion } = await world.module.releases.get(operator, { id: first.releaseId });
  await world.module.releases.deprecate(operator, { id: first.releaseId, expectedVersion, reason: 'Out of support.' });
  const job = await world.rollBack();
  assert.deepEqual([job.state, job.releaseId], ['completed', first.releaseId]);
});

test('an image that its registry has lost comes back from the disks of the agents, as long as they keep it', async () => {
  await using world = await rollbackScenario();
  const first = await world.deploy();
  await world.deploy();
  using _gone = world.registry.fault({ kind: 'status', match: 'manifests', status: 404 });
  const job = await world.rollBack();
  assert.deepEqual([job.state, job.releaseId], ['completed', first.releaseId]);
});

test('the agents keep what ran before however often the same digests land again', async () => {
  await using world = await rollbackScenario();
  const first = await world.deploy();
  const second = await world.deploy();
  for (let i = 0; i < 2; i++) {
    const { id: promotionId } = await world.seed.approved(second.release, world.environment);
    await world.module.deployments.launch(world.caller('operator'), { promotionId });
    await world.answer();
    assert.equal((await world.module.promotions.get(world.caller('viewer'), { id: promotionId })).state, 'deployed');
  }
  using _gone = world.registry.fault({ kind: 'status', match: 'manifests', status: 404 });
  const job = await world.rollBack();
  assert.deepEqual([job.state, job.releaseId], ['completed', first.releaseId]);
});

test('an image that is nowhere any more cannot come back, and it is told which', async () => {
  await using world = await rollbackScenario();
  const first = await world.deploy();
  await world.deploy();
  await world.deploy();
  using _gone = world.registry.fault({ kind: 'status', match: 'manifests', status: 404 });
  const asked = world.ask({ toDeploymentId: first.id });
  await assert.rejects(asked, refusal('DEPLOY_NOTHING_TO_ROLLBACK', { deploymentId: first.id }));
  const error = await asked.catch((reason: unknown) => reason);
  assert.match(String(Reflect.get(Object(Reflect.get(Object(error), 'details')), 'gone')), /^web: /);
});

test('a rollback whose images vanish after it was asked for has nowhere to go', async () => {
  await using world = await rollbackScenario();
  const first = await world.deploy();
  await world.deploy();
  const third = await world.deploy();
  const { id } = await world.ask({ toDeploymentId: first.id });
  using _gone = world.registry.fault({ kind: 'status', match: 'manifests', status: 404 });
  await world.answer();
  const failed = await world.read(id);
  assert.deepEqual([failed.state, failed.anatomy?.stage], ['failed', 'rollback']);
  assert.deepEqual(
    [failed.anatomy?.category, failed.anatomy?.reason],
    ['RollbackNotEligible', 'no-verified-predecessor'],
  );
  assert.equal((await world.read(third.id)).state, 'rollback_failed');
});

test('what was deployed while the registry was asked is not undone unseen', async (t) => {
  await using world = await rollbackScenario();
  const first = await world.deploy();
  const second = await world.deploy();
  const digest = String(first.release.components[0]?.digest);
  using _slow = world.registry.fault({ kind: 'hang', match: digest });
  const asked = world.ask();
  await t.waitFor(() => assert(world.registry.requests.some(({ path }) => path.endsWith(digest))), { timeout: 10_000 });
  const third = await world.deploy();
  await assert.rejects(asked, refusal('RES_VERSION_CONFLICT', { expected: second.id, actual: third.id }));
  assert.equal((await world.read(third.id)).state, 'completed');
});

test('a registry that cannot be asked stops no rollback', async () => {
  await using world = await rollbackScenario();
  const first = await world.deploy();
  await world.deploy();
  using _down = world.registry.fault({ kind: 'status', match: 'manifests', status: 503 });
  const job = await world.rollBack();
  assert.deepEqual([job.state, job.releaseId], ['completed', first.releaseId]);
});

test('a rollback goes to the targets that are enabled now, unhealthy or not, with the variables of then', async () => {
  await using world = await rollbackScenario();
  const operator = world.caller('operator');
  const save = (expectedVersion: number, value: string) =>
    world.module.variableSets.save(operator, {
      environmentId: world.environment.id,
      expectedVersion,
      variables: [{ name: 'MODE', value }],
    });
  await save(0, 'calm');
  const first = await world.deploy();
  await save(1, 'bold');
  const second = await world.deploy();
  assert.deepEqual([first.variableSetVersion, second.variableSetVersion], [1, 2]);
  const [gone, sick] = world.targets;
  assert(gone && sick);
  const { version } = await world.module.targets.get(operator, { id: gone.id });
  await world.module.targets.disable(operator, { id: gone.id, expectedVersion: version });
  const added = await world.seed.target(world.environment, world.agent);
  const observedAt = world.deps.clock.now().toISOString();
  await world.beat(world.agent, {
    observed: [
      { targetId: sick.id, component: 'web', running: false, digest: null, reason: 'it has ended', observedAt },
    ],
  });
  assert.equal((await world.module.targets.get(operator, { id: sick.id })).healthState, 'unhealthy');

  const { id } = await world.ask();
  await world.module.runOnce.runner();
  const modes: unknown[] = [];
  for (let next = await world.lease(world.agent); isAssignment(next); next = await world.lease(world.agent)) {
    modes.push(next.task.spec.env.MODE);
    await world.report(world.agent, next, 1, landedAt(next));
  }
  const job = await world.read(id);
  assert.deepEqual(job.targets.map(({ targetId }) => targetId).toSorted(), [sick.id, added.id].toSorted());
  assert.deepEqual([job.state, job.variableSetVersion, modes], ['completed', 1, ['calm', 'calm']]);
});

test('an agent that is away and an environment without targets stop a rollback, by name', async () => {
  await using world = await rollbackScenario();
  await world.deploy();
  await world.deploy();
  await world.clock.advance(40_000);
  await world.module.runOnce.watch();
  const away = world.targets.map(({ id, name }) => ({ id, name, agentId: world.agent.id }));
  await assert.rejects(world.ask(), refusal('DEPLOY_AGENT_UNAVAILABLE', { targets: away }));
  const operator = world.caller('operator');
  for (const { id } of world.targets) {
    const { version } = await world.module.targets.get(operator, { id });
    await world.module.targets.disable(operator, { id, expectedVersion: version });
  }
  await assert.rejects(world.ask(), refusal('DEPLOY_NO_TARGETS'));
});

test('a rollback that comes to no end before its deadline fails, and with it what it was to undo', async () => {
  await using world = await rollbackScenario();
  await world.deploy();
  const second = await world.deploy();
  const { id } = await world.ask();
  await world.module.runOnce.runner();
  await world.clock.advance(24 * 3_600_000);
  await world.module.runOnce.runner();
  const failed = await world.read(id);
  assert.deepEqual([failed.state, failed.anatomy?.stage, failed.anatomy?.category], ['failed', 'rollback', 'Timeout']);
  assert.equal((await world.read(second.id)).state, 'rollback_failed');
});

test('the buttons say what the operation would', async () => {
  await using world = await rollbackScenario();
  const first = await world.deploy();
  const asked = `query ($id: ID!, $job: ID!) { environment(id: $id) { viewerCanRollback { allowed code } }
    deployment(id: $job) { viewerCanRollback { allowed code } } }`;
  const buttons = async (job: string, as: 'operator' | 'viewer' = 'operator') => {
    const { data, errors } = await world.graph(asked, { id: world.environment.id, job }, { as });
    assert.equal(errors, undefined);
    const { environment, deployment } = plain(data);
    return [environment.viewerCanRollback, deployment.viewerCanRollback];
  };
  const refused = (code: string) => ({ allowed: false, code });
  const allowed = { allowed: true, code: null };
  const nothing = refused('DEPLOY_NOTHING_TO_ROLLBACK');
  assert.deepEqual(await buttons(first.id), [nothing, nothing]);
  const second = await world.deploy();
  assert.deepEqual(await buttons(second.id), [allowed, allowed]);
  assert.deepEqual(await buttons(first.id), [allowed, refused('RES_CONFLICT')]);
  assert.deepEqual(await buttons(second.id, 'viewer'), [refused('PERM_SCOPE_DENIED'), refused('PERM_SCOPE_DENIED')]);
  await world.ask();
  const underWay = refused('DEPLOY_ROLLBACK_IN_PROGRESS');
  assert.deepEqual(await buttons(second.id), [underWay, underWay]);
});

test('what is newest is so by the clock of the database, whatever the servers that gave out the ids thought', async () => {
  await using world = await rollbackScenario();
  const [first, second] = [await world.deploy(), await world.deploy()];
  // As if the server of the second had been an hour ahead, and the first had come after it.
  await world.deps.database.write(toTenantId('acme'), (tx) =>
    tx.run(sql`update orchestrator.deployments set created_at = created_at + interval '1 hour' where id = ${first.id}`),
  );
  assert.deepEqual(await world.choices(), [second.id]);
  const { data, errors } = await world.graph(UNDOING, { id: second.id });
  assert.equal(errors, undefined);
  assert.deepEqual(plain(data).deployment.environment.currentDeployment, { id: first.id });
  await world.clock.advance(2 * 3_600_000);
  await world.beat(world.agent);
  const job = await world.rollBack();
  assert.deepEqual([job.releaseId, job.previousDeploymentId], [second.releaseId, first.id]);
});
