import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId } from '@landfall/kernel/core/ids';
import { refusal } from '../../testing/catalogue-app.ts';
import { type DeployingApp, deployingApp, landedAt, leased } from '../../testing/deploying-app.ts';
import type { Target } from './targets.store.ts';

const allDrivers = { process: '1', sandbox: '1', 'static-slot': '1', compose: '2' };

let counter = 1_000;

/** Creates an environment before the earlier ones with one target and agent, and a function that deploys there. */
const scenario = async (app: DeployingApp, overrides: Readonly<Record<string, unknown>> = {}) => {
  counter -= 1;
  const environment = await app.seed.environment({ requiredApprovals: 0, orderIndex: counter });
  const agent = await app.register(allDrivers);
  const target = await app.seed.target(environment, agent, overrides);
  const launch = async () => app.launch((await app.seed.approved(await app.seed.ready(), environment)).id);
  const land = async () => {
    const assignment = await leased(app, agent);
    await app.report(agent, assignment, 1, landedAt(assignment));
  };
  const read = (): Promise<Target> => app.module.targets.get(operator(app), { id: target.id });
  const at = async () => ({ id: target.id, expectedVersion: (await read()).version });
  return { environment, agent, target, launch, land, read, at };
};

const operator = (app: DeployingApp) => app.caller('operator');

const ask = async (app: DeployingApp, query: string, variables = {}, person: 'operator' | 'viewer' = 'operator') => {
  const { data, errors } = await app.graph(query, variables, { as: person });
  assert.equal(errors, undefined);
  return JSON.parse(JSON.stringify(data));
};

const CAN = 'query ($id: ID!) { target(id: $id) { viewerCanDisable { code } viewerCanRemove { code } } }';

const permissions = async (app: DeployingApp, id: string, person: 'operator' | 'viewer' = 'operator') =>
  (await ask(app, CAN, { id }, person)).target;

test('what a deployment under way uses stays as it is: its name alone may change', async () => {
  await using app = await deployingApp();
  const { targets } = app.module;
  const { agent, target, launch, land, at } = await scenario(app);
  const other = await app.register();
  const { id: deploymentId } = await launch();
  const busy = refusal('RES_CONFLICT', { deploymentId });
  const me = operator(app);
  await assert.rejects(targets.disable(me, await at()), busy);
  await assert.rejects(targets.update(me, { ...(await at()), config: { port: 9 } }), busy);
  await assert.rejects(targets.update(me, { ...(await at()), secretRefs: [] }), busy);
  const { id: targetId, ...versioned } = await at();
  await assert.rejects(targets.assignAgent(me, { targetId, ...versioned, agentId: other.id }), busy);
  await assert.rejects(targets.remove(me, await at()), refusal('DEPLOY_IN_PROGRESS', { deploymentId }));
  assert.deepEqual(await permissions(app, target.id), {
    viewerCanDisable: { code: 'RES_CONFLICT' },
    viewerCanRemove: { code: 'DEPLOY_IN_PROGRESS' },
  });
  assert.equal((await targets.update(me, { ...(await at()), name: 'renamed' })).name, 'renamed');

  await land();
  assert.deepEqual(await permissions(app, target.id), {
    viewerCanDisable: { code: null },
    viewerCanRemove: { code: null },
  });
  assert.equal((await permissions(app, target.id, 'viewer')).viewerCanRemove.code, 'PERM_SCOPE_DENIED');
  assert.equal((await targets.update(me, { ...(await at()), config: { port: 9 } })).config.port, 9);
  assert.equal((await targets.disable(me, await at())).state, 'disabled');
  assert.equal((await app.lease(agent)) ?? null, null);
});

test('of a launch and a disabling that meet, whoever comes second sees the first', async () => {
  await using app = await deployingApp();
  const { environment, read, at } = await scenario(app);
  const promotion = await app.seed.approved(await app.seed.ready(), environment);
  const [launched, disabled] = await Promise.allSettled([
    app.module.deployments.launch(operator(app), { promotionId: promotion.id }),
    app.module.targets.disable(operator(app), await at()),
  ]);
  const refused = [launched, disabled].flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  assert.equal(refused.length, 1);
  const isDisabled = (await read()).state === 'disabled';
  assert.ok(refused[0] instanceof Fault);
  assert.equal(refused[0].code, isDisabled ? 'DEPLOY_NO_TARGETS' : 'RES_CONFLICT');
});

// spec: 7.2/DEPLOY_IN_PROGRESS, 7.2/RES_TARGET_NOT_FOUND
test('a removed target is out of the estate for good, its name is free, and its deployments stay', async () => {
  await using app = await deployingApp();
  const { targets } = app.module;
  const { environment, agent, target, launch, land, at } = await scenario(app);
  const deployment = await launch();
  await land();
  await targets.remove(operator(app), await at());
  const own = { id: target.id, expectedVersion: 9 };
  for (const run of [targets.remove, targets.disable, targets.enable, targets.update, targets.refresh, targets.get])
    await assert.rejects(run(operator(app), own), refusal('RES_TARGET_NOT_FOUND'));
  assert.deepEqual(await targets.list(operator(app), { environmentId: environment.id }), []);
  assert.equal((await app.seed.target(environment, agent, { name: target.name })).name, target.name);
  const page = await ask(
    app,
    `query ($job: ID!, $agent: ID!) {
      deployment(id: $job) { targets { name target { id name state agent { id } } } }
      agent(id: $agent) { targets { name } }
    }`,
    { job: deployment.id, agent: agent.id },
  );
  assert.deepEqual(page, {
    deployment: {
      targets: [{ name: target.name, target: { id: target.id, name: target.name, state: 'DISABLED', agent: null } }],
    },
    agent: { targets: [{ name: target.name }] },
  });
});

test('what an agent still sees on a removed target is kept nowhere', async () => {
  await using app = await deployingApp();
  const { agent, target, at, land, launch } = await scenario(app);
  await launch();
  await land();
  await app.module.targets.remove(operator(app), await at());
  const observation = { targetId: target.id, component: 'web', running: true, digest: null, reason: 'x' };
  await app.beat(agent, { observed: [{ ...observation, observedAt: app.deps.clock.now().toISOString() }] });
  const page = await ask(app, '{ agents { targets { id } } estate { status { total } } }');
  assert.deepEqual(page.agents, [{ targets: [] }]);
  assert.equal(page.estate.status.total, 0);
});

test('a target that is enabled again is unknown until its agent has looked, and that is asked to look', async () => {
  await using app = await deployingApp();
  const { targets } = app.module;
  const { agent, launch, land, read, at } = await scenario(app);
  await assert.rejects(targets.enable(operator(app), await at()), refusal('RES_CONFLICT', { allowed: ['disabled'] }));
  await launch();
  await land();
  await targets.disable(operator(app), await at());
  const enabled = await targets.enable(operator(app), await at());
  assert.deepEqual([enabled.state, enabled.healthState], ['unknown', 'unknown']);
  assert.deepEqual(await app.lease(agent), { look: true });
  assert.equal(await app.lease(agent), null, 'it is told once');
  await app.beat(agent, { capabilities: allDrivers });
  assert.deepEqual([(await read()).state, (await read()).healthDetail], ['healthy', null]);
});

// spec: 7.2/AGT_OFFLINE
test('whoever refreshes a target has its agent called, unless that is away', async () => {
  await using app = await deployingApp();
  const { targets } = app.module;
  const { environment, agent, target } = await scenario(app);
  const { id } = await targets.refresh(operator(app), { id: target.id });
  assert.equal(id, target.id);
  assert.deepEqual(await app.lease(agent), { look: true });
  await app.clock.advance(30_000);
  await app.module.runOnce.watch();
  await assert.rejects(targets.refresh(operator(app), { id }), refusal('AGT_OFFLINE', { agentId: agent.id }));
  const alone = await app.seed.target(environment, { ...agent, id: '' }, { agentId: undefined });
  await assert.rejects(targets.refresh(operator(app), { id: alone.id }), refusal('RES_CONFLICT'));
});

test('a configuration is replaced whole, and checked by the driver that the target has', async () => {
  await using app = await deployingApp();
  const { targets } = app.module;
  const { environment, agent, at } = await scenario(app, { driver: 'static_slot', config: { slot: 'www' } });
  await app.seed.target(environment, agent, { name: 'taken' });
  const me = operator(app);
  await assert.rejects(
    targets.update(me, { ...(await at()), config: { slot: 'www', port: 80 } }),
    (error) => error instanceof Fault && error.fields[0]?.field === 'config.port',
  );
  await assert.rejects(targets.update(me, { ...(await at()), name: 'taken' }), refusal('RES_ALREADY_EXISTS'));
  const before = await at();
  const updated = await targets.update(me, { ...before, config: { slot: 'docs', env: [{ name: 'A', value: 'b' }] } });
  assert.deepEqual(updated.config, { slot: 'docs', env: [{ name: 'A', value: 'b' }] });
  await assert.rejects(targets.update(me, { ...before, name: 'x1' }), refusal('RES_VERSION_CONFLICT'));
  await assert.rejects(
    targets.update(me, { id: exampleId('Target'), expectedVersion: 1 }),
    refusal('RES_TARGET_NOT_FOUND'),
  );
});

test('readiness is asked for the driver of each target, and an agent that lost it is not given a task', async () => {
  await using app = await deployingApp();
  const { environment, agent } = await scenario(app, { driver: 'compose', config: { port: 80, project: 'shop' } });
  const promotion = await app.seed.approved(await app.seed.ready(), environment);
  await app.beat(agent, { capabilities: { process: '1' } });
  await assert.rejects(
    app.module.deployments.launch(operator(app), { promotionId: promotion.id }),
    refusal('AGT_CAPABILITY_MISSING'),
  );
  const { preflight } = await ask(
    app,
    `query ($release: ID!, $environment: ID!) {
      preflight(releaseId: $release, environmentId: $environment) { checks { key status anatomy { reason } } }
    }`,
    { release: promotion.releaseId, environment: environment.id },
  );
  assert.deepEqual(
    preflight.checks.find(({ key }: { key: string }) => key === 'target-ready'),
    { key: 'target-ready', status: 'FAIL', anatomy: { reason: 'driver-unsupported' } },
  );
});

test('an agent is told the place that its driver needs, and a port only where something is served', async () => {
  await using app = await deployingApp();
  for (const [driver, config, locations, port] of [
    ['static_slot', { slot: 'www' }, { slot: 'www' }, null],
    ['compose', { port: 80, project: 'shop', containerPort: 8080 }, { project: 'shop', containerPort: 8080 }, 80],
    ['sandbox', { port: 81 }, null, 81],
  ] as const) {
    const { agent, launch } = await scenario(app, { driver, config });
    await launch();
    const { task } = await leased(app, agent);
    assert.deepEqual(
      [task.driver, task.place, task.components.map((component) => component.port)],
      [driver.replace('_', '-'), locations, [port]],
    );
  }
});
