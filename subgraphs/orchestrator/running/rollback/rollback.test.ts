import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { refusal } from '../../testing/catalogue-app.ts';
import { isAssignment, landedAt, leased } from '../../testing/deploying-app.ts';
import { broken, plain, type RollbackScenario, rollbackScenario, WHY } from './rollback.fixture.ts';

const recorded = table('kernel.events.said', { type: text, entityId: text });

/** Lists the events of these deployments' rollbacks, oldest first. */
const events = async (scenario: RollbackScenario): Promise<string[][]> =>
  (
    await scenario.rows(
      recorded,
      sql`/* test */ select type, entity_id from kernel.events
        where type in ('deployment.rollback', 'deployment.rolled_back', 'deployment.rollback_failed') order by id`,
    )
  ).map(({ type, entityId }) => [type, entityId]);

const UNDOING = `query ($id: ID!) { deployment(id: $id) {
  kind status reason strategy release { id } undoes { id status undoneBy { id } }
  viewerCanRollback { allowed code } environment { currentDeployment { id } activeDeployment { id } } } }`;

// spec: 3/job-states
test('after a verified deployment a rollback brings back the one before, to the digest, and undoes it', async () => {
  await using scenario = await rollbackScenario();
  const first = await scenario.deploy();
  const second = await scenario.deploy();
  assert.deepEqual(await scenario.choices(), [first.id]);
  const { id } = await scenario.ask();
  assert.equal((await scenario.read(second.id)).state, 'rollback_in_progress');
  await scenario.answer();

  const job = await scenario.read(id);
  assert.deepEqual([job.kind, job.state, job.landing], ['rollback', 'completed', 'verified']);
  assert.deepEqual([job.releaseId, job.promotionId], [first.releaseId, first.promotionId]);
  assert.deepEqual(
    job.targets.map(({ state, landing }) => [state, landing?.observedDigest]),
    scenario.targets.map(() => ['succeeded', first.release.components[0]?.digest]),
  );
  const undoneDeployment = await scenario.read(second.id);
  assert.deepEqual(
    [undoneDeployment.state, undoneDeployment.landing, undoneDeployment.undoneById],
    ['rolled_back', 'verified', id],
  );
  assert.equal((await scenario.promotionOf(first)).state, 'deployed');
  assert.equal((await scenario.promotionOf(second)).state, 'superseded');
  assert.deepEqual(await events(scenario), [
    ['deployment.rollback', id],
    ['deployment.rolled_back', second.id],
  ]);
  const { data, errors } = await scenario.graph(UNDOING, { id });
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
  await using scenario = await rollbackScenario();
  const first = await scenario.deploy();
  const second = await scenario.deploy(broken);
  assert.equal(second.state, 'failed');
  const job = await scenario.rollBack();
  assert.deepEqual([job.state, job.releaseId], ['completed', first.releaseId]);
  const undoneDeployment = await scenario.read(second.id);
  assert.deepEqual([undoneDeployment.state, undoneDeployment.anatomy?.category], ['rolled_back', 'HealthCheckFailed']);
  assert.equal((await scenario.promotionOf(first)).state, 'deployed');
  assert.equal((await scenario.promotionOf(second)).state, 'failed');
});

test('after a deployment that was cancelled on its way a rollback brings every target to one release', async () => {
  await using scenario = await rollbackScenario({ defaultStrategy: 'rolling', strategyParams: { batchPercent: 50 } });
  const first = await scenario.deploy();
  const { id: promotionId } = await scenario.seed.approved(await scenario.seed.ready(), scenario.environment);
  const { id } = await scenario.module.deployments.launch(scenario.caller('operator'), { promotionId });
  await scenario.module.runOnce.runner();
  const one = await leased(scenario, scenario.agent);
  await scenario.report(scenario.agent, one, 1, landedAt(one));
  await scenario.module.deployments.cancel(scenario.caller('operator'), { id, reason: 'Wrong release.' });
  await scenario.answer();
  assert.equal((await scenario.read(id)).state, 'cancelled');
  const job = await scenario.rollBack();
  assert.deepEqual([job.state, job.landing, job.releaseId], ['completed', 'verified', first.releaseId]);
  assert.equal((await scenario.read(id)).state, 'rolled_back');
});

test('a rollback that fails says so of both, at the stage rollback, and another one may follow', async () => {
  await using scenario = await rollbackScenario();
  const first = await scenario.deploy();
  const second = await scenario.deploy();
  const failed = await scenario.rollBack({}, broken);
  assert.deepEqual([failed.state, failed.anatomy?.stage], ['failed', 'rollback']);
  assert.deepEqual([failed.anatomy?.category, failed.anatomy?.reason], ['HealthCheckFailed', 'probe-failed']);
  assert.equal(failed.targets[0]?.anatomy?.stage, 'health-probe', 'a target tells where it failed itself');
  assert.equal((await scenario.read(second.id)).state, 'rollback_failed');
  assert.equal((await scenario.promotionOf(first)).state, 'superseded');
  assert.equal((await scenario.promotionOf(second)).state, 'deployed');
  const { data } = await scenario.graph('query ($id: ID!) { environment(id: $id) { currentDeployment { id } } }', {
    id: scenario.environment.id,
  });
  assert.equal(plain(data).environment.currentDeployment.id, second.id, 'nothing has taken its place');

  const repeated = await scenario.rollBack();
  assert.deepEqual([repeated.state, repeated.releaseId], ['completed', first.releaseId]);
  assert.deepEqual(
    [(await scenario.read(failed.id)).state, (await scenario.read(second.id)).state],
    ['rolled_back', 'rollback_failed'],
  );
  assert.equal((await scenario.promotionOf(first)).state, 'deployed');
  assert.equal((await scenario.promotionOf(second)).state, 'superseded');
  assert.deepEqual(
    (await events(scenario)).map(([type]) => type),
    ['deployment.rollback', 'deployment.rollback_failed', 'deployment.rollback', 'deployment.rolled_back'],
  );
});

// spec: 7.2/DEPLOY_ROLLBACK_IN_PROGRESS
test('of many rollbacks at once exactly one is made, and the others are told of it', async () => {
  await using scenario = await rollbackScenario();
  const first = await scenario.deploy();
  await scenario.deploy();
  const third = await scenario.deploy();
  const rollback = [{}, {}, {}, { toDeploymentId: first.id }, { toDeploymentId: first.id }, {}];
  const results = await Promise.allSettled(rollback.map((over) => scenario.ask(over)));
  const created = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  assert.equal(created.length, 1);
  for (const result of results)
    if (result.status === 'rejected')
      assert(
        refusal('DEPLOY_ROLLBACK_IN_PROGRESS', { deploymentId: created[0]?.id })(result.reason),
        String(result.reason),
      );
  assert.equal((await scenario.read(third.id)).undoneById, created[0]?.id);
});

// spec: rulings/55
test('while one thing is under way another is refused by the code that says which', async () => {
  await using scenario = await rollbackScenario();
  await scenario.deploy();
  const second = await scenario.deploy();
  const { id: promotionId } = await scenario.seed.approved(await scenario.seed.ready(), scenario.environment);
  const operator = scenario.caller('operator');
  const rollback = await scenario.ask();
  await assert.rejects(
    scenario.module.deployments.launch(operator, { promotionId }),
    refusal('DEPLOY_ROLLBACK_IN_PROGRESS', { deploymentId: rollback.id }),
  );
  for (const id of [rollback.id, second.id])
    await assert.rejects(
      scenario.module.deployments.cancel(operator, { id, reason: 'No.' }),
      refusal('DEPLOY_ROLLBACK_IN_PROGRESS'),
    );
  await scenario.answer();
  const launched = await scenario.module.deployments.launch(operator, { promotionId });
  await assert.rejects(scenario.ask(), refusal('DEPLOY_IN_PROGRESS', { deploymentId: launched.id }));
});

test('a rollback of a rollback goes further back, forth to what is named, and both stand in the history', async () => {
  await using scenario = await rollbackScenario();
  const [first, second, third] = [await scenario.deploy(), await scenario.deploy(), await scenario.deploy()];
  const back = await scenario.rollBack();
  assert.equal(back.releaseId, second.releaseId);
  assert.deepEqual(await scenario.choices(), [first.id, third.id]);
  const forward = await scenario.rollBack({ toDeploymentId: third.id });
  assert.deepEqual(
    [forward.state, forward.releaseId, forward.promotionId],
    ['completed', third.releaseId, third.promotionId],
  );
  assert.equal((await scenario.read(back.id)).state, 'rolled_back');
  assert.equal((await scenario.promotionOf(third)).state, 'deployed');
  assert.equal((await scenario.promotionOf(second)).state, 'superseded');
  const further = await scenario.rollBack();
  assert.equal(further.releaseId, first.releaseId);
});

// spec: 7.2/DEPLOY_NOTHING_TO_ROLLBACK
test('there is nothing to go back to before a second release has landed, and what is named must be a choice', async () => {
  await using scenario = await rollbackScenario();
  await assert.rejects(scenario.ask(), refusal('DEPLOY_NOTHING_TO_ROLLBACK'));
  const first = await scenario.deploy();
  await assert.rejects(scenario.ask(), refusal('DEPLOY_NOTHING_TO_ROLLBACK', { choices: [] }));
  const second = await scenario.deploy();
  await assert.rejects(
    scenario.ask({ toDeploymentId: second.id }),
    refusal('DEPLOY_NOTHING_TO_ROLLBACK', { deploymentId: second.id, choices: [first.id] }),
  );
  await assert.rejects(scenario.ask({ toDeploymentId: first.releaseId }), refusal('RES_NOT_FOUND'));
  await assert.rejects(scenario.ask({ environmentId: first.releaseId }), refusal('RES_ENVIRONMENT_NOT_FOUND'));
  await assert.rejects(scenario.ask({ reason: 'Too short' }), refusal('VAL_TOO_SHORT'));
  await assert.rejects(
    scenario.module.deployments.rollback(scenario.caller('viewer'), {
      environmentId: scenario.environment.id,
      reason: WHY,
    }),
    refusal('PERM_SCOPE_DENIED'),
  );
});

test('a deprecated release comes back, one on hold does not', async () => {
  await using scenario = await rollbackScenario();
  const [first, second] = [await scenario.deploy(), await scenario.deploy()];
  await scenario.deploy();
  const operator = scenario.caller('operator');
  const { version } = await scenario.module.releases.get(operator, { id: second.releaseId });
  await scenario.module.releases.hold(operator, {
    id: second.releaseId,
    expectedVersion: version,
    reason: 'It leaks memory.',
  });
  assert.deepEqual(await scenario.choices(), [first.id]);
  await assert.rejects(
    scenario.ask({ toDeploymentId: second.id }),
    refusal('REL_NOT_READY', { hold: 'It leaks memory.' }),
  );
  const { version: expectedVersion } = await scenario.module.releases.get(operator, { id: first.releaseId });
  await scenario.module.releases.deprecate(operator, {
    id: first.releaseId,
    expectedVersion,
    reason: 'Out of support.',
  });
  const job = await scenario.rollBack();
  assert.deepEqual([job.state, job.releaseId], ['completed', first.releaseId]);
});

test('an image that its registry has lost comes back from the disks of the agents, as long as they keep it', async () => {
  await using scenario = await rollbackScenario();
  const first = await scenario.deploy();
  await scenario.deploy();
  using _gone = scenario.registry.fault({ kind: 'status', match: 'manifests', status: 404 });
  const job = await scenario.rollBack();
  assert.deepEqual([job.state, job.releaseId], ['completed', first.releaseId]);
});

test('the agents keep what ran before however often the same digests land again', async () => {
  await using scenario = await rollbackScenario();
  const first = await scenario.deploy();
  const second = await scenario.deploy();
  for (let i = 0; i < 2; i++) {
    const { id: promotionId } = await scenario.seed.approved(second.release, scenario.environment);
    await scenario.module.deployments.launch(scenario.caller('operator'), { promotionId });
    await scenario.answer();
    assert.equal(
      (await scenario.module.promotions.get(scenario.caller('viewer'), { id: promotionId })).state,
      'deployed',
    );
  }
  using _gone = scenario.registry.fault({ kind: 'status', match: 'manifests', status: 404 });
  const job = await scenario.rollBack();
  assert.deepEqual([job.state, job.releaseId], ['completed', first.releaseId]);
});

test('an image that is nowhere any more cannot come back, and it is told which', async () => {
  await using scenario = await rollbackScenario();
  const first = await scenario.deploy();
  await scenario.deploy();
  await scenario.deploy();
  using _gone = scenario.registry.fault({ kind: 'status', match: 'manifests', status: 404 });
  const rollback = scenario.ask({ toDeploymentId: first.id });
  await assert.rejects(rollback, refusal('DEPLOY_NOTHING_TO_ROLLBACK', { deploymentId: first.id }));
  const error = await rollback.catch((reason: unknown) => reason);
  assert.match(String(Reflect.get(Object(Reflect.get(Object(error), 'details')), 'gone')), /^web: /);
});

test('a rollback whose images vanish after it was asked for has nowhere to go', async () => {
  await using scenario = await rollbackScenario();
  const first = await scenario.deploy();
  await scenario.deploy();
  const third = await scenario.deploy();
  const { id } = await scenario.ask({ toDeploymentId: first.id });
  using _gone = scenario.registry.fault({ kind: 'status', match: 'manifests', status: 404 });
  await scenario.answer();
  const failed = await scenario.read(id);
  assert.deepEqual([failed.state, failed.anatomy?.stage], ['failed', 'rollback']);
  assert.deepEqual(
    [failed.anatomy?.category, failed.anatomy?.reason],
    ['RollbackNotEligible', 'no-verified-predecessor'],
  );
  assert.equal((await scenario.read(third.id)).state, 'rollback_failed');
});

test('what was deployed while the registry was asked is not undone unseen', async (t) => {
  await using scenario = await rollbackScenario();
  const first = await scenario.deploy();
  const second = await scenario.deploy();
  const digest = String(first.release.components[0]?.digest);
  using _slow = scenario.registry.fault({ kind: 'hang', match: digest });
  const rollback = scenario.ask();
  await t.waitFor(() => assert(scenario.registry.requests.some(({ path }) => path.endsWith(digest))), {
    timeout: 10_000,
  });
  const third = await scenario.deploy();
  await assert.rejects(rollback, refusal('RES_VERSION_CONFLICT', { expected: second.id, actual: third.id }));
  assert.equal((await scenario.read(third.id)).state, 'completed');
});

test('a registry that cannot be asked stops no rollback', async () => {
  await using scenario = await rollbackScenario();
  const first = await scenario.deploy();
  await scenario.deploy();
  using _down = scenario.registry.fault({ kind: 'status', match: 'manifests', status: 503 });
  const job = await scenario.rollBack();
  assert.deepEqual([job.state, job.releaseId], ['completed', first.releaseId]);
});

test('a rollback goes to the targets that are enabled now, unhealthy or not, with the variables of then', async () => {
  await using scenario = await rollbackScenario();
  const operator = scenario.caller('operator');
  const save = (expectedVersion: number, value: string) =>
    scenario.module.variableSets.save(operator, {
      environmentId: scenario.environment.id,
      expectedVersion,
      variables: [{ name: 'MODE', value }],
    });
  await save(0, 'calm');
  const first = await scenario.deploy();
  await save(1, 'bold');
  const second = await scenario.deploy();
  assert.deepEqual([first.variableSetVersion, second.variableSetVersion], [1, 2]);
  const [removed, unhealthy] = scenario.targets;
  assert(removed && unhealthy);
  const { version } = await scenario.module.targets.get(operator, { id: removed.id });
  await scenario.module.targets.disable(operator, { id: removed.id, expectedVersion: version });
  const added = await scenario.seed.target(scenario.environment, scenario.agent);
  const observedAt = scenario.deps.clock.now().toISOString();
  await scenario.beat(scenario.agent, {
    observed: [
      { targetId: unhealthy.id, component: 'web', running: false, digest: null, reason: 'it has ended', observedAt },
    ],
  });
  assert.equal((await scenario.module.targets.get(operator, { id: unhealthy.id })).healthState, 'unhealthy');

  const { id } = await scenario.ask();
  await scenario.module.runOnce.runner();
  const modes: unknown[] = [];
  for (
    let next = await scenario.lease(scenario.agent);
    isAssignment(next);
    next = await scenario.lease(scenario.agent)
  ) {
    modes.push(next.task.spec.env.MODE);
    await scenario.report(scenario.agent, next, 1, landedAt(next));
  }
  const job = await scenario.read(id);
  assert.deepEqual(job.targets.map(({ targetId }) => targetId).toSorted(), [unhealthy.id, added.id].toSorted());
  assert.deepEqual([job.state, job.variableSetVersion, modes], ['completed', 1, ['calm', 'calm']]);
});

test('an agent that is away and an environment without targets stop a rollback, by name', async () => {
  await using scenario = await rollbackScenario();
  await scenario.deploy();
  await scenario.deploy();
  await scenario.clock.advance(40_000);
  await scenario.module.runOnce.watch();
  const unreachable = scenario.targets.map(({ id, name }) => ({ id, name, agentId: scenario.agent.id }));
  await assert.rejects(scenario.ask(), refusal('DEPLOY_AGENT_UNAVAILABLE', { targets: unreachable }));
  const operator = scenario.caller('operator');
  for (const { id } of scenario.targets) {
    const { version } = await scenario.module.targets.get(operator, { id });
    await scenario.module.targets.disable(operator, { id, expectedVersion: version });
  }
  await assert.rejects(scenario.ask(), refusal('DEPLOY_NO_TARGETS'));
});

test('a rollback that comes to no end before its deadline fails, and with it what it was to undo', async () => {
  await using scenario = await rollbackScenario();
  await scenario.deploy();
  const second = await scenario.deploy();
  const { id } = await scenario.ask();
  await scenario.module.runOnce.runner();
  await scenario.clock.advance(24 * 3_600_000);
  await scenario.module.runOnce.runner();
  const failed = await scenario.read(id);
  assert.deepEqual([failed.state, failed.anatomy?.stage, failed.anatomy?.category], ['failed', 'rollback', 'Timeout']);
  assert.equal((await scenario.read(second.id)).state, 'rollback_failed');
});

test('the buttons say what the operation would', async () => {
  await using scenario = await rollbackScenario();
  const first = await scenario.deploy();
  const rollback = `query ($id: ID!, $job: ID!) { environment(id: $id) { viewerCanRollback { allowed code } }
    deployment(id: $job) { viewerCanRollback { allowed code } } }`;
  const buttons = async (job: string, as: 'operator' | 'viewer' = 'operator') => {
    const { data, errors } = await scenario.graph(rollback, { id: scenario.environment.id, job }, { as });
    assert.equal(errors, undefined);
    const { environment, deployment } = plain(data);
    return [environment.viewerCanRollback, deployment.viewerCanRollback];
  };
  const refused = (code: string) => ({ allowed: false, code });
  const allowed = { allowed: true, code: null };
  const nothing = refused('DEPLOY_NOTHING_TO_ROLLBACK');
  assert.deepEqual(await buttons(first.id), [nothing, nothing]);
  const second = await scenario.deploy();
  assert.deepEqual(await buttons(second.id), [allowed, allowed]);
  assert.deepEqual(await buttons(first.id), [allowed, refused('RES_CONFLICT')]);
  assert.deepEqual(await buttons(second.id, 'viewer'), [refused('PERM_SCOPE_DENIED'), refused('PERM_SCOPE_DENIED')]);
  await scenario.ask();
  const inProgress = refused('DEPLOY_ROLLBACK_IN_PROGRESS');
  assert.deepEqual(await buttons(second.id), [inProgress, inProgress]);
});

test('what is newest is so by the clock of the database, whatever the servers that gave out the ids thought', async () => {
  await using scenario = await rollbackScenario();
  const [first, second] = [await scenario.deploy(), await scenario.deploy()];
  // As if the clock of the second deployment's server had been an hour ahead, and the first was created after it.
  await scenario.deps.database.write(toTenantId('acme'), (tx) =>
    tx.run(sql`update orchestrator.deployments set created_at = created_at + interval '1 hour' where id = ${first.id}`),
  );
  assert.deepEqual(await scenario.choices(), [second.id]);
  const { data, errors } = await scenario.graph(UNDOING, { id: second.id });
  assert.equal(errors, undefined);
  assert.deepEqual(plain(data).deployment.environment.currentDeployment, { id: first.id });
  await scenario.clock.advance(2 * 3_600_000);
  await scenario.beat(scenario.agent);
  const job = await scenario.rollBack();
  assert.deepEqual([job.releaseId, job.previousDeploymentId], [second.releaseId, first.id]);
});
