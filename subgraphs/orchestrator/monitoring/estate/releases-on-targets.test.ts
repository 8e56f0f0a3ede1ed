import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Environment } from '../../catalogue/environments/environments.store.ts';
import { completeAllTasks, leaseAllTasks } from '../../testing/complete-tasks.ts';
import { landedAt } from '../../testing/deploying-app.ts';
import { type EstateApp, estateApp } from './estate.fixture.ts';

const REQUESTS = `{
  environments { name releases { targets release { id } } estateState currentDeployment { release { id } } }
  today { unsettled { name } }
  environmentMatrix { rows { cells { release { id } state targets elsewhere } } } }`;

const events = async (app: EstateApp) => {
  const answer = await app.graph(REQUESTS, {}, { as: 'viewer' });
  assert.equal(answer.errors, undefined);
  const { environments, today, environmentMatrix } = JSON.parse(JSON.stringify(answer.data));
  const [{ releases, estateState, currentDeployment }] = environments;
  const { release, ...cell } = environmentMatrix.rows[0].cells[0];
  return {
    releases: releases.map((each: { release: { id: string }; targets: number }) => [each.release.id, each.targets]),
    estateState,
    current: currentDeployment?.release.id,
    cell: { release: release?.id, ...cell },
    unsettled: today.unsettled.length,
  };
};

/** Starts a rolling deployment of a new release, whose first batch of a third of the targets has landed. */
const halfRolledOut = async (app: EstateApp, environment: Environment, agents: Parameters<EstateApp['deploy']>[2]) => {
  const release = await app.seed.ready();
  const { id: promotionId } = await app.seed.approved(release, environment);
  const request = { promotionId, strategy: 'rolling', params: { batchPercent: 33 } };
  const { id } = await app.module.deployments.launch(app.caller('operator'), request);
  await app.module.runOnce.runner();
  const ids = (
    await Promise.all(agents.map(async (agent) => [agent, await leaseAllTasks(app, agent)] as const))
  ).filter(([, tasks]) => tasks.length > 0);
  for (const [agent, tasks] of ids) for (const task of tasks) await app.report(agent, task, 1, landedAt(task));
  const cancel = async () => {
    await app.module.deployments.cancel(app.caller('operator'), { id, reason: 'Wrong release.' });
    for (const agent of agents) await completeAllTasks(app, agent);
    const { state } = await app.module.deployments.get(app.caller('viewer'), { id });
    assert.equal(state, 'cancelled');
  };
  return { release, cancel };
};

test('an environment that a cancelled deployment left half-way says what its targets carry, and is a line of today', async () => {
  await using app = await estateApp();
  const { agents, environment, release: old } = await app.landed(6);
  const complete = { release: old.id, state: 'IN_SYNC', targets: 6, elsewhere: 0 };
  const settled = { releases: [[old.id, 6]], estateState: 'IN_SYNC', current: old.id, cell: complete, unsettled: 0 };
  assert.deepEqual(await events(app), settled);

  const { release: next, cancel } = await halfRolledOut(app, environment, agents);
  const mixed = {
    ...settled,
    releases: [
      [old.id, 4],
      [next.id, 2],
    ],
    cell: { ...complete, elsewhere: 2 },
  };
  assert.deepEqual(await events(app), mixed, 'it is under way: nobody is needed');
  await cancel();
  assert.deepEqual(await events(app), { ...mixed, unsettled: 1 });

  await app.deploy(await app.seed.ready(), environment, agents);
  const after = await events(app);
  assert.deepEqual([after.releases.length, after.cell.elsewhere, after.unsettled], [1, 0, 0]);
});

test('a first deployment that was cancelled half-way has left something where nothing is current', async () => {
  await using app = await estateApp();
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  const agents = [await app.register(), await app.register(), await app.register()];
  for (const agent of agents) await app.seed.target(environment, agent);
  const { release, cancel } = await halfRolledOut(app, environment, agents);
  await cancel();
  assert.deepEqual(await events(app), {
    releases: [[release.id, 1]],
    estateState: 'IN_SYNC',
    current: undefined,
    cell: { release: undefined, state: 'IN_SYNC', targets: 1, elsewhere: 1 },
    unsettled: 1,
  });
});

test('an environment whose agent is revoked is unobserved, whatever was verified there, and is a line of today', async () => {
  await using app = await estateApp();
  const { agents, release } = await app.landed();
  const [agent] = agents;
  assert(agent);
  const request = { id: agent.id, expectedVersion: 1, reason: 'The host was sold.' };
  await app.module.agents.revoke(app.caller('operator'), request);
  const { estateState, unsettled, cell } = await events(app);
  assert.deepEqual([estateState, unsettled], ['UNOBSERVED', 1]);
  assert.deepEqual(cell, { release: release.id, state: 'UNOBSERVED', targets: 1, elsewhere: 0 });
});

test('a target that drifts makes its environment a line of today, and a disabled target carries nothing', async () => {
  await using app = await estateApp();
  const { agents, places: positions, release } = await app.landed(2);
  const [agent] = agents;
  const [component] = positions;
  assert(agent && component);
  await app.sees(agent, component.target.id);
  const drifting = await events(app);
  assert.deepEqual([drifting.estateState, drifting.unsettled, drifting.releases], ['DRIFT', 1, [[release.id, 2]]]);
  const { id, version } = await app.module.targets.get(app.caller('viewer'), { id: component.target.id });
  await app.module.targets.disable(app.caller('operator'), { id, expectedVersion: version });
  const remaining = await events(app);
  assert.deepEqual([remaining.estateState, remaining.unsettled, remaining.releases], ['IN_SYNC', 0, [[release.id, 1]]]);
});
