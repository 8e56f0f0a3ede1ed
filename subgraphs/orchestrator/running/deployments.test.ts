import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSealed } from '@landfall/agent/protocol/sealing';
import { refusal } from '../testing/catalogue-app.ts';
import { type DeployingApp, deployingApp, failedAt, landedAt, leased } from '../testing/deploying-app.ts';

/** Creates an environment, an agent, `n` targets and an approved promotion. */
const scenario = async (app: DeployingApp, n = 1) => {
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  const agent = await app.register();
  const targets = [];
  for (let i = 0; i < n; i++) targets.push(await app.seed.target(environment, agent));
  const release = await app.seed.ready();
  const promotion = await app.seed.approved(release, environment);
  return { environment, agent, targets, release, promotion };
};

const read = (app: DeployingApp, id: string) => app.module.deployments.get(app.caller('viewer'), { id });

// spec: 3/landing-verified, 3/job-states, 3/promotion-states
test('a promotion that is launched lands verified on what the agent observed', async () => {
  await using app = await deployingApp();
  const { agent, promotion, environment, release } = await scenario(app);
  const deployment = await app.launch(promotion.id);
  assert.equal((await read(app, deployment.id)).state, 'in_progress');

  const assignment = await leased(app, agent);
  await app.report(agent, assignment, 1, { step: 'pulled', bytes: 10 });
  await app.report(agent, assignment, 2, landedAt(assignment));

  const landed = await read(app, deployment.id);
  assert.deepEqual([landed.state, landed.landing, landed.targets[0]?.state], ['completed', 'verified', 'succeeded']);
  assert.equal(landed.targets[0]?.landing?.observedDigest, release.components[0]?.digest);
  const { state } = await app.module.promotions.get(app.caller('viewer'), { id: promotion.id });
  assert.equal(state, 'deployed');
  const graph = await app.graph(
    'query ($id: ID!) { environment(id: $id) { currentDeployment { id status } activeDeployment { id } targets { health { state } } } }',
    { id: environment.id },
  );
  assert.equal(graph.errors, undefined);
  assert.deepEqual(JSON.parse(JSON.stringify(graph.data)).environment, {
    currentDeployment: { id: deployment.id, status: 'COMPLETED' },
    activeDeployment: null,
    targets: [{ health: { state: 'HEALTHY' } }],
  });
});

// spec: 3/landing-mismatch, 2.10/anatomy-places, rulings/56
test('a target that runs other bytes than were approved fails the job as a mismatch', async () => {
  await using app = await deployingApp();
  const { agent, promotion } = await scenario(app);
  const deployment = await app.launch(promotion.id);
  const assignment = await leased(app, agent);
  const other = `sha256:${'f'.repeat(64)}`;
  await app.report(agent, assignment, 1, landedAt(assignment, { platformDigest: other, observedDigest: other }));
  const failed = await read(app, deployment.id);
  assert.deepEqual([failed.state, failed.landing], ['failed', 'mismatch']);
  assert.deepEqual(
    [failed.anatomy?.category, failed.anatomy?.stage, failed.anatomy?.retryable],
    ['DigestMismatch', 'health-probe', false],
  );
  assert.equal(failed.targets[0]?.anatomy?.category, 'DigestMismatch');
  while ((await app.module.runOnce.attestor()) > 0);
  assert.equal((await read(app, deployment.id)).attestationRef, null, 'there is no statement of it');
});

test('an agent that refuses to switch to foreign bytes leaves a mismatch, not silence', async () => {
  await using app = await deployingApp();
  const { agent, promotion } = await scenario(app);
  const deployment = await app.launch(promotion.id);
  const assignment = await leased(app, agent);
  const other = `sha256:${'f'.repeat(64)}`;
  const { components } = landedAt(assignment, { observedDigest: other });
  await app.report(agent, assignment, 1, { step: 'observed', components });
  assert.equal((await read(app, deployment.id)).state, 'in_progress');
  await app.report(agent, assignment, 2, { ...failedAt('digest-mismatch', 'it runs other bytes'), during: 'observed' });
  const failed = await read(app, deployment.id);
  assert.deepEqual([failed.state, failed.landing], ['failed', 'mismatch']);
  assert.equal(failed.targets[0]?.landing?.observedDigest, other);
  assert.equal(failed.targets[0]?.anatomy?.stage, 'health-probe');
});

// spec: 3/landing-unverified, rulings/56
test('a target that could not be observed is unverified: the job completes, and nothing says verified', async () => {
  await using app = await deployingApp();
  const { agent, promotion } = await scenario(app);
  const deployment = await app.launch(promotion.id);
  const assignment = await leased(app, agent);
  await app.report(agent, assignment, 1, landedAt(assignment, { observedDigest: null }));
  const finished = await read(app, deployment.id);
  assert.deepEqual([finished.state, finished.landing], ['completed', 'unverified']);
  while ((await app.module.runOnce.attestor()) > 0);
  assert.equal((await read(app, deployment.id)).attestationRef, null, 'there is no statement of it');
  const today = await app.graph('{ today { unverified { id } failed { id } } }');
  assert.deepEqual(JSON.parse(JSON.stringify(today.data)).today, { unverified: [{ id: deployment.id }], failed: [] });
});

test('a job fails once all its targets have ended, of the cause that most of them share', async () => {
  await using app = await deployingApp();
  const { agent, promotion } = await scenario(app, 3);
  const deployment = await app.launch(promotion.id);
  const [a, b, c] = [await leased(app, agent), await leased(app, agent), await leased(app, agent)];
  await app.report(agent, a, 1, failedAt('probe-failed', 'HTTP 500'));
  assert.equal((await read(app, deployment.id)).state, 'in_progress');
  await app.report(agent, b, 1, failedAt('registry-unreachable', 'ECONNREFUSED'));
  await app.report(agent, c, 1, failedAt('registry-unreachable', 'ECONNREFUSED'));
  const failed = await read(app, deployment.id);
  assert.deepEqual([failed.state, failed.anatomy?.category], ['failed', 'RegistryUnreachable']);
  const graph = await app.graph(
    'query ($id: ID!) { deployment(id: $id) { failureGroups { category count } failureReason } }',
    { id: deployment.id },
  );
  assert.deepEqual(JSON.parse(JSON.stringify(graph.data)).deployment, {
    failureGroups: [
      { category: 'RegistryUnreachable', count: 2 },
      { category: 'HealthCheckFailed', count: 1 },
    ],
    failureReason: 'The registry could not be reached.',
  });
});

test('a task that is given out once more says so in its target’s timeline', async () => {
  await using app = await deployingApp();
  const { agent, promotion } = await scenario(app);
  const deployment = await app.launch(promotion.id);
  await leased(app, agent);
  await app.clock.advance(31_000);
  await app.report(agent, await leased(app, agent), 1, {
    step: 'started',
    components: [{ name: 'web', pid: 1, port: 2 }],
  });
  const { data } = await app.graph(
    'query ($id: ID!) { deployment(id: $id) { targets { timeline { stage step detail } } } }',
    { id: deployment.id },
  );
  assert.deepEqual(JSON.parse(JSON.stringify(data)).deployment.targets[0].timeline.slice(-3), [
    { stage: 'retry-prep', step: 'leased', detail: 'attempt 2' },
    { stage: 'execution', step: 'started', detail: 'web on port 2' },
    { stage: 'health-probe', step: 'probing', detail: null },
  ]);
});

test('a report under an old fence is refused and changes nothing, a repeated one is accepted once', async () => {
  await using app = await deployingApp();
  const { agent, promotion } = await scenario(app);
  const deployment = await app.launch(promotion.id);
  const first = await leased(app, agent);
  await app.clock.advance(31_000);
  const second = await leased(app, agent);
  assert.equal(second.task.fence, first.task.fence + 1);
  const before = await read(app, deployment.id);
  await assert.rejects(app.report(agent, first, 1, landedAt(first)), refusal('RES_VERSION_CONFLICT'));
  assert.deepEqual(await read(app, deployment.id), before);
  await app.report(agent, second, 1, { step: 'pulled', bytes: 1 });
  const once = await read(app, deployment.id);
  await app.report(agent, second, 1, { step: 'pulled', bytes: 1 });
  assert.deepEqual(await read(app, deployment.id), once);
});

test('an agent that falls silent ends its targets as AgentOffline, which may be retried', async () => {
  await using app = await deployingApp();
  const { agent, promotion } = await scenario(app);
  const deployment = await app.launch(promotion.id);
  const assignment = await leased(app, agent);
  await app.clock.advance(20_000);
  await app.module.runOnce.watch();
  assert.equal((await read(app, deployment.id)).state, 'in_progress');
  await app.clock.advance(15_000);
  await app.module.runOnce.watch();
  await app.module.runOnce.watch();
  const failed = await read(app, deployment.id);
  assert.deepEqual(
    [failed.state, failed.anatomy?.category, failed.anatomy?.retryable],
    ['failed', 'AgentOffline', true],
  );
  await assert.rejects(app.report(agent, assignment, 1, landedAt(assignment)), refusal('RES_VERSION_CONFLICT'));
});

test('a job that does not end before its deadline ends as a Timeout', async () => {
  await using app = await deployingApp();
  const { agent, promotion } = await scenario(app);
  const deployment = await app.launch(promotion.id);
  const assignment = await leased(app, agent);
  await app.clock.advance(24 * 3_600_000);
  await app.module.runOnce.runner();
  const failed = await read(app, deployment.id);
  assert.deepEqual([failed.state, failed.anatomy?.category], ['failed', 'Timeout']);
  await assert.rejects(app.report(agent, assignment, 1, landedAt(assignment)), refusal('RES_VERSION_CONFLICT'));
});

// spec: 7.2/DEPLOY_IN_PROGRESS
test('of many launches at once exactly one makes a job', async () => {
  await using app = await deployingApp();
  const { environment } = await scenario(app);
  const releases = [await app.seed.ready(), await app.seed.ready(), await app.seed.ready()];
  const promotions = [];
  for (const release of releases) promotions.push(await app.seed.approved(release, environment));
  const operator = app.caller('operator');
  const attempts = promotions.flatMap(({ id }) => [id, id, id, id]);
  const results = await Promise.allSettled(
    attempts.map((promotionId) => app.module.deployments.launch(operator, { promotionId })),
  );
  const refused = results.filter((result) => result.status === 'rejected');
  assert.equal(results.length - refused.length, 1);
  for (const { reason } of refused) assert(refusal('DEPLOY_IN_PROGRESS')(reason), String(reason));
});

// spec: 3/preflight-determinable, 7.2/DEPLOY_NO_TARGETS, 7.2/DEPLOY_AGENT_UNAVAILABLE, 7.3/preflight-failed
// spec: rulings/1
test('launch says what is missing, in order: targets, agents, then the failed check', async () => {
  await using app = await deployingApp();
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  const release = await app.seed.ready();
  const { id: promotionId } = await app.seed.approved(release, environment);
  const launch = () => app.module.deployments.launch(app.caller('operator'), { promotionId });
  await assert.rejects(launch(), refusal('DEPLOY_NO_TARGETS'));
  const agent = await app.register();
  await app.seed.target(environment, agent, { secretRefs: [{ variable: 'KEY', secret: 'nowhere' }] });
  await app.clock.advance(40_000);
  await app.module.runOnce.watch();
  await assert.rejects(launch(), refusal('DEPLOY_AGENT_UNAVAILABLE'));
  await app.beat(agent);
  await assert.rejects(launch(), refusal('preflight_failed', { failedCheckKeys: ['secret-resolvable'] }));
  const promotion = { releaseId: release.id, environmentId: environment.id };
  const { checks } = await app.module.deployments.preflight(app.caller('viewer'), promotion);
  const failed = checks.filter(({ status }) => status === 'fail');
  assert.deepEqual(
    failed.map(({ key }) => key),
    ['secret-resolvable'],
  );
  await assert.rejects(launch(), refusal('preflight_failed', { checks: failed }));
  const events = await app.module.deployments.list(app.caller('viewer'), {});
  assert.equal(events.items.length, 0);
});

// spec: rulings/55, 7.2/PROM_APPROVER_REQUIRED
test('launch says what is wrong with the release, then with its promotion, before what the environment lacks', async () => {
  await using app = await deployingApp();
  const { deployments, promotions, releases } = app.module;
  const operator = app.caller('operator');
  const environment = await app.seed.environment({ requiredApprovals: 1 });
  const release = await app.seed.ready();
  const request = { releaseId: release.id, targetEnvironmentId: environment.id, reason: 'Ship it.' };
  const { id: promotionId } = await promotions.request(operator, request);
  const launch = () => deployments.launch(operator, { promotionId });
  await assert.rejects(launch(), refusal('PROM_APPROVER_REQUIRED', { have: 0, need: 1 }));
  const hold = { id: release.id, expectedVersion: release.version, reason: 'Wait for the review.' };
  await releases.hold(operator, hold);
  await assert.rejects(launch(), refusal('REL_NOT_READY', { hold: hold.reason }));
});

test('a secret reaches the agent sealed to its key, and nobody else reads it on the way', async () => {
  await using app = await deployingApp();
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  const agent = await app.register();
  await app.module.secrets.save(app.caller('operator'), { name: 'shop/key', value: 'hunter2-and-more' });
  await app.seed.target(environment, agent, { secretRefs: [{ variable: 'KEY', secret: 'shop/key' }] });
  const promotion = await app.seed.approved(await app.seed.ready(), environment);
  await app.launch(promotion.id);
  const { task } = await leased(app, agent);
  assert(!JSON.stringify(task).includes('hunter2'));
  assert(task.secrets);
  const content = JSON.parse(openSealed(agent.privateKey, task.secrets, task.taskId));
  assert.deepEqual(content.env, { KEY: 'hunter2-and-more' });
});

test('a missing image fails preflight at launch, and a registry that is down is unknown and blocks nothing', async () => {
  await using app = await deployingApp();
  const { promotion, release } = await scenario(app);
  const check = async () => {
    const report = await app.module.deployments.preflight(app.caller('viewer'), {
      releaseId: release.id,
      environmentId: promotion.targetEnvironmentId,
    });
    return [report.armed, report.checks.find(({ key }) => key === 'image-resolvable')?.status];
  };
  {
    using _gone = app.registry.fault({ kind: 'status', match: 'manifests', status: 404 });
    assert.deepEqual(await check(), [false, 'fail']);
  }
  {
    using _down = app.registry.fault({ kind: 'status', match: 'manifests', status: 503 });
    assert.deepEqual(await check(), [true, 'unknown']);
  }
  assert.deepEqual(await check(), [true, 'pass']);
});

test('a release with more components than a target has ports left is not launched', async () => {
  await using app = await deployingApp();
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  const agent = await app.register();
  const { id } = await app.seed.target(environment, agent, { config: { port: 65_535 } });
  const [first] = (await app.seed.draft()).components;
  const byName = (name: string) => ({ name, repository: first?.repository, tag: first?.requestedTag });
  const release = await app.seed.ready({ components: [byName('web'), byName('worker')] });
  const { id: promotionId } = await app.seed.approved(release, environment);
  await assert.rejects(
    app.module.deployments.launch(app.caller('operator'), { promotionId }),
    refusal('RES_CONFLICT', { componentCount: 2, targets: [{ id, name: 'target-2', port: 65_535 }] }),
  );
});
