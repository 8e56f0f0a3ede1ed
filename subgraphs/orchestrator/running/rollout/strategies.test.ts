import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusal } from '../../testing/catalogue-app.ts';
import { completeAllTasks, failing, leaseAllTasks } from '../../testing/complete-tasks.ts';
import { type DeployingApp, deployingApp, failedAt, landedAt } from '../../testing/deploying-app.ts';

/** Creates an environment with `n` targets of one agent and a deployment in its first phase. */
const scenario = async (app: DeployingApp, n: number, request: Readonly<Record<string, unknown>>) => {
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  const agent = await app.register();
  const targets = [];
  for (let i = 0; i < n; i++) targets.push(await app.seed.target(environment, agent));
  const release = await app.seed.ready();
  const promotion = await app.seed.approved(release, environment);
  const { id } = await app.module.deployments.launch(app.caller('operator'), { promotionId: promotion.id, ...request });
  await app.module.runOnce.runner();
  return { environment, agent, targets, release, promotion, id };
};

const read = (app: DeployingApp, id: string) => app.module.deployments.get(app.caller('viewer'), { id });

const statuses = async (app: DeployingApp, id: string) => {
  const { state, pauseReason, phases, targets } = await read(app, id);
  return {
    state: pauseReason === null ? state : `${state}: ${pauseReason}`,
    phases: phases.map(({ status }) => status),
    targets: targets.map((target) => target.state),
  };
};

const promotionState = async (app: DeployingApp, id: string) =>
  (await app.module.promotions.get(app.caller('viewer'), { id })).state;

test('a rolling deployment begins a batch when the one before it has landed', async () => {
  await using app = await deployingApp();
  const { agent, id, promotion } = await scenario(app, 3, { strategy: 'rolling', params: { batchPercent: 50 } });
  assert.deepEqual(await statuses(app, id), {
    state: 'in_progress',
    phases: ['running', 'pending'],
    targets: ['pending', 'pending', 'pending'],
  });
  const first = await leaseAllTasks(app, agent);
  assert.equal(first.length, 2);
  for (const assignment of first) await app.report(agent, assignment, 1, landedAt(assignment));
  assert.deepEqual((await statuses(app, id)).phases, ['done', 'running']);
  const second = await completeAllTasks(app, agent);
  assert.deepEqual(
    [...first, ...second].map(({ task }) => task.traffic),
    Array.from({ length: 3 }, () => ({ weight: 100, retire: true })),
  );
  assert.deepEqual(await statuses(app, id), {
    state: 'completed',
    phases: ['done', 'done'],
    targets: ['succeeded', 'succeeded', 'succeeded'],
  });
  assert.equal(await promotionState(app, promotion.id), 'deployed');
});

test('a batch that fails ends the deployment, and what it has not reached is not touched', async () => {
  await using app = await deployingApp();
  const { agent, id, promotion } = await scenario(app, 4, { strategy: 'rolling' });
  const [first] = await leaseAllTasks(app, agent);
  assert(first);
  await app.report(agent, first, 1, landedAt(first));
  await completeAllTasks(app, agent, failing);
  assert.deepEqual(await statuses(app, id), {
    state: 'failed',
    phases: ['done', 'failed', 'skipped', 'skipped'],
    targets: ['succeeded', 'failed', 'cancelled', 'cancelled'],
  });
  assert.deepEqual(await leaseAllTasks(app, agent), [], 'nothing is left to do');
  assert.equal(await promotionState(app, promotion.id), 'failed');
  assert.equal((await read(app, id)).anatomy?.category, 'HealthCheckFailed');
});

test('a canary shifts its share on every target, waits at each gate, and retires the old with the last step', async () => {
  await using app = await deployingApp();
  const { agent, id } = await scenario(app, 2, { strategy: 'canary', params: { canarySteps: [20, 100] } });
  const started = await completeAllTasks(app, agent);
  assert.deepEqual(
    started.map(({ task }) => [task.action, task.traffic]),
    Array.from({ length: 2 }, () => ['apply', { weight: 20, retire: false }]),
  );
  assert.deepEqual(await statuses(app, id), {
    state: 'paused: traffic_gate',
    phases: ['held', 'pending'],
    targets: ['held', 'held'],
  });
  const { landing, targets } = await read(app, id);
  assert.deepEqual([landing, ...targets.map((target) => target.landing)], [null, null, null], 'nothing has landed yet');

  const operator = app.caller('operator');
  await assert.rejects(
    app.module.deployments.advancePhase(operator, { id, phaseIndex: 1 }),
    refusal('RES_VERSION_CONFLICT', { expected: 1, actual: 0 }),
  );
  await app.module.deployments.advancePhase(operator, { id, phaseIndex: 0 });
  assert.deepEqual((await statuses(app, id)).targets, ['pending', 'pending']);
  const last = await completeAllTasks(app, agent);
  assert.deepEqual(
    last.map(({ task }) => task.traffic),
    Array.from({ length: 2 }, () => ({ weight: 100, retire: true })),
  );
  const finished = await read(app, id);
  assert.deepEqual([finished.state, finished.landing, finished.targets[0]?.phaseIndex], ['completed', 'verified', 1]);
  assert.deepEqual(
    finished.phases.map(({ status, startedAt, endedAt }) => [status, startedAt !== null, endedAt !== null]),
    [
      ['done', true, true],
      ['done', true, true],
    ],
  );
});

test('blue-green provisions, switches and retires, each on every target', async () => {
  await using app = await deployingApp();
  const { agent, id } = await scenario(app, 2, { strategy: 'blue_green', params: { gate: 'none' } });
  const tasks = await completeAllTasks(app, agent);
  assert.deepEqual(
    tasks.map(({ task }) => [task.traffic.weight, task.traffic.retire]),
    [
      [0, false],
      [0, false],
      [100, false],
      [100, false],
      [100, true],
      [100, true],
    ],
  );
  assert.deepEqual((await statuses(app, id)).state, 'completed');
});

test('a canary by targets reaches more of them with each step', async () => {
  await using app = await deployingApp();
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  const agent = await app.register({ 'static-slot': '1' });
  for (const slot of ['a', 'b', 'c'])
    await app.seed.target(environment, agent, { driver: 'static_slot', config: { slot } });
  const promotion = await app.seed.approved(await app.seed.ready(), environment);
  const { id, plan } = await app.module.deployments.launch(app.caller('operator'), {
    promotionId: promotion.id,
    strategy: 'canary',
  });
  assert.deepEqual(plan.caveats, ['no-traffic-management']);
  await app.module.runOnce.runner();
  assert.equal((await completeAllTasks(app, agent)).length, 1);
  assert.deepEqual(await statuses(app, id), {
    state: 'paused: traffic_gate',
    phases: ['held', 'pending', 'pending'],
    targets: ['succeeded', 'pending', 'pending'],
  });
});

test('a target without a router gives back what may be in its place when its agent is lost on the way', async () => {
  await using app = await deployingApp();
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  const agent = await app.register({ 'static-slot': '1' });
  await app.seed.target(environment, agent, { driver: 'static_slot', config: { slot: 'files' } });
  const { id } = await app.launch((await app.seed.approved(await app.seed.ready(), environment)).id);
  const [task] = await leaseAllTasks(app, agent);
  assert(task);
  await app.report(agent, task, 1, { step: 'shifted', weight: 100 });
  await app.clock.advance(60_000);
  await app.module.runOnce.watch();
  await app.module.runOnce.watch();
  assert.equal((await statuses(app, id)).state, 'failed');
  await app.beat(agent);
  assert.deepEqual(
    (await completeAllTasks(app, agent)).map(({ task }) => task.action),
    ['withdraw'],
  );
});

test('a target that fails at a step gives back what every target has taken, and the job has its cause', async () => {
  await using app = await deployingApp();
  const { agent, id, targets } = await scenario(app, 3, { strategy: 'canary' });
  let first = true;
  const tasks = await completeAllTasks(app, agent, (assignment) => {
    const isFirst = first;
    first = false;
    return isFirst ? failing() : landedAt(assignment);
  });
  assert.deepEqual(
    tasks.map(({ task }) => task.action),
    ['apply', 'apply', 'apply', 'withdraw', 'withdraw', 'withdraw'],
  );
  const failed = await statuses(app, id);
  assert.deepEqual([failed.state, failed.phases], ['failed', ['failed', 'skipped', 'skipped']]);
  assert.deepEqual(failed.targets.toSorted(), ['cancelled', 'cancelled', 'failed']);
  assert.equal((await read(app, id)).anatomy?.category, 'HealthCheckFailed');
  assert.equal(targets.length, 3);
});

test('a deployment that is halted at a gate fails as halted, and its targets give all traffic back', async () => {
  await using app = await deployingApp();
  const { agent, id, promotion } = await scenario(app, 2, { strategy: 'canary' });
  await completeAllTasks(app, agent);
  const halted = await app.module.deployments.halt(app.caller('operator'), { id, reason: 'Errors doubled.' });
  assert.deepEqual(
    [halted.state, halted.reason, halted.anatomy?.category, halted.anatomy?.stage, halted.anatomy?.detail],
    ['failed', 'Errors doubled.', 'StrategyGateHalted', 'traffic-gate', 'Errors doubled.'],
  );
  assert.deepEqual((await statuses(app, id)).phases, ['failed', 'skipped', 'skipped']);
  const withdrawn = await completeAllTasks(app, agent);
  assert.deepEqual(
    withdrawn.map(({ task }) => [task.action, task.traffic, task.secrets === null || task.spec.agentSecrets]),
    Array.from({ length: 2 }, () => ['withdraw', { weight: 0, retire: false }, {}]),
  );
  assert.deepEqual((await statuses(app, id)).targets, ['cancelled', 'cancelled']);
  assert.equal(await promotionState(app, promotion.id), 'failed');
  await assert.rejects(
    app.module.deployments.halt(app.caller('operator'), { id, reason: 'Again.' }),
    refusal('RES_CONFLICT', { state: 'failed', allowed: ['in_progress', 'paused'] }),
  );
});

test('a paused deployment ends what is under way and begins nothing until it is resumed', async () => {
  await using app = await deployingApp();
  const { agent, id } = await scenario(app, 4, { strategy: 'rolling' });
  const operator = app.caller('operator');
  await app.module.deployments.pause(operator, { id });
  assert.equal((await completeAllTasks(app, agent)).length, 1);
  assert.deepEqual(await statuses(app, id), {
    state: 'paused: manual',
    phases: ['done', 'pending', 'pending', 'pending'],
    targets: ['succeeded', 'pending', 'pending', 'pending'],
  });
  await assert.rejects(app.module.deployments.pause(operator, { id }), refusal('RES_CONFLICT', { state: 'paused' }));
  await assert.rejects(
    app.module.deployments.advancePhase(operator, { id, phaseIndex: 0 }),
    refusal('RES_CONFLICT', { state: 'paused', pauseReason: 'manual' }),
  );
  await app.module.deployments.resume(operator, { id });
  assert.equal((await completeAllTasks(app, agent)).length, 3);
  assert.equal((await statuses(app, id)).state, 'completed');
});

test('a deployment that is paused before a gate waits at the gate when it is resumed, and is not resumed past it', async () => {
  await using app = await deployingApp();
  const { agent, id } = await scenario(app, 2, { strategy: 'canary' });
  const operator = app.caller('operator');
  await app.module.deployments.pause(operator, { id });
  await completeAllTasks(app, agent);
  assert.deepEqual((await statuses(app, id)).phases, ['held', 'pending', 'pending']);
  assert.equal((await app.module.deployments.resume(operator, { id })).pauseReason, 'traffic_gate');
  await assert.rejects(
    app.module.deployments.resume(operator, { id }),
    refusal('RES_CONFLICT', { state: 'paused', pauseReason: 'traffic_gate' }),
  );
});

test('the time that a deployment waits does not count, but it waits a day at most', async () => {
  await using app = await deployingApp();
  const { agent, id } = await scenario(app, 2, { strategy: 'canary' });
  await completeAllTasks(app, agent);
  await app.clock.advance(23 * 3_600_000);
  await app.module.runOnce.runner();
  assert.equal((await statuses(app, id)).state, 'paused: traffic_gate');
  await app.module.deployments.advancePhase(app.caller('operator'), { id, phaseIndex: 0 });
  await app.module.runOnce.runner();
  assert.equal((await statuses(app, id)).state, 'in_progress');
  await completeAllTasks(app, agent);
  await app.clock.advance(25 * 3_600_000);
  await app.module.runOnce.runner();
  const delayed = await read(app, id);
  assert.deepEqual(
    [delayed.state, delayed.anatomy?.category, delayed.anatomy?.stage, delayed.anatomy?.retryable],
    ['failed', 'Timeout', 'traffic-gate', true],
  );
  assert.deepEqual((await statuses(app, id)).targets, ['cancelled', 'cancelled']);
  await app.beat(agent);
  assert.deepEqual(
    (await completeAllTasks(app, agent)).map(({ task }) => task.action),
    ['withdraw', 'withdraw'],
  );
});

// spec: 7.2/DEPLOY_TARGET_UNHEALTHY
test('a gate is not passed to a target that has turned unhealthy', async () => {
  await using app = await deployingApp();
  const { agent, id, targets } = await scenario(app, 2, { strategy: 'canary' });
  await completeAllTasks(app, agent);
  await app.force.health(targets[0]?.id ?? '', 'unhealthy');
  await assert.rejects(
    app.module.deployments.advancePhase(app.caller('operator'), { id, phaseIndex: 0 }),
    refusal('DEPLOY_TARGET_UNHEALTHY'),
  );
  assert.equal((await statuses(app, id)).state, 'paused: traffic_gate');
});

test('a batch does not begin on a target that has turned unhealthy: the deployment fails before it is touched', async () => {
  await using app = await deployingApp();
  const { agent, id, targets } = await scenario(app, 4, { strategy: 'rolling' });
  await app.force.health(targets[1]?.id ?? '', 'unhealthy');
  await completeAllTasks(app, agent);
  const failed = await read(app, id);
  assert.deepEqual([failed.state, failed.anatomy?.reason], ['failed', 'target-unhealthy']);
  assert.deepEqual((await statuses(app, id)).targets, ['succeeded', 'cancelled', 'cancelled', 'cancelled']);
});

test('a cancelled deployment has ended once its targets are at rest, and its promotion has failed', async () => {
  await using app = await deployingApp();
  const { agent, id, promotion } = await scenario(app, 3, { strategy: 'rolling', params: { batchPercent: 60 } });
  const [first, second] = await leaseAllTasks(app, agent);
  assert(first && second);
  await app.report(agent, first, 1, landedAt(first));
  const operator = app.caller('operator');
  const cancelling = await app.module.deployments.cancel(operator, { id, reason: 'Wrong release.' });
  assert.deepEqual([cancelling.state, cancelling.reason], ['cancelling', 'Wrong release.']);
  assert.equal(await promotionState(app, promotion.id), 'deploying');
  await assert.rejects(app.report(agent, second, 1, landedAt(second)), refusal('RES_VERSION_CONFLICT'));
  await assert.rejects(
    app.module.deployments.cancel(operator, { id, reason: 'Again.' }),
    refusal('RES_CONFLICT', { state: 'cancelling' }),
  );
  assert.deepEqual(
    (await completeAllTasks(app, agent)).map(({ task }) => [task.targetId, task.action]),
    [[second.task.targetId, 'withdraw']],
  );
  assert.deepEqual(await statuses(app, id), {
    state: 'cancelled',
    phases: ['failed', 'skipped'],
    targets: ['succeeded', 'cancelled', 'cancelled'],
  });
  assert.equal(await promotionState(app, promotion.id), 'failed');
});

test('a deployment that has touched nothing is cancelled at once', async () => {
  await using app = await deployingApp();
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  await app.seed.target(environment, await app.register());
  const promotion = await app.seed.approved(await app.seed.ready(), environment);
  const operator = app.caller('operator');
  const { id } = await app.module.deployments.launch(operator, { promotionId: promotion.id });
  const cancelled = await app.module.deployments.cancel(operator, { id, reason: 'Not today.' });
  assert.deepEqual([cancelled.state, cancelled.anatomy], ['cancelled', null]);
  assert.deepEqual((await statuses(app, id)).phases, ['skipped']);
  assert.equal(await app.module.runOnce.runner(), 0);
});

test('a cancelled deployment does not wait for an agent that is gone, which puts things back when it returns', async () => {
  await using app = await deployingApp();
  const { agent, id } = await scenario(app, 2, { strategy: 'canary' });
  await completeAllTasks(app, agent);
  await app.module.deployments.cancel(app.caller('operator'), { id, reason: 'Wrong release.' });
  await app.clock.advance(130_000);
  await app.module.runOnce.watch();
  await app.module.runOnce.runner();
  assert.deepEqual(await statuses(app, id), {
    state: 'cancelled',
    phases: ['done', 'skipped', 'skipped'],
    targets: ['cancelled', 'cancelled'],
  });
  await app.beat(agent);
  const returned = await completeAllTasks(app, agent, () => failedAt('unclassified', 'no such candidate'));
  assert.deepEqual(
    returned.map(({ task }) => task.action),
    ['withdraw', 'withdraw'],
  );
  assert.equal((await statuses(app, id)).state, 'cancelled');
});

const revoke = (app: DeployingApp, id: string) =>
  app.module.agents.revoke(app.caller('operator'), { id, expectedVersion: 1, reason: 'The host was sold.' });

const notWithdrawn = async (app: DeployingApp, id: string) => {
  const query = 'query ($id: ID!) { deployment(id: $id) { targets { timeline { step } } } }';
  const { data, errors } = await app.graph(query, { id });
  assert.equal(errors, undefined);
  return JSON.stringify(data).match(/not-withdrawn/g)?.length ?? 0;
};

test('a cancelled deployment does not wait for an agent that was revoked before, and its timeline says so', async () => {
  await using app = await deployingApp();
  const { agent, id } = await scenario(app, 2, { strategy: 'canary' });
  await completeAllTasks(app, agent);
  await revoke(app, agent.id);
  await app.module.deployments.cancel(app.caller('operator'), { id, reason: 'Wrong release.' });
  const { state, targets } = await statuses(app, id);
  assert.deepEqual([state, targets], ['cancelled', ['cancelled', 'cancelled']]);
  assert.equal(await notWithdrawn(app, id), 2);
});

test('what an agent is to take back ends when it is revoked, and the cancelled deployment with it', async () => {
  await using app = await deployingApp();
  const { agent, id } = await scenario(app, 2, { strategy: 'canary' });
  await completeAllTasks(app, agent);
  await app.module.deployments.cancel(app.caller('operator'), { id, reason: 'Wrong release.' });
  assert.equal((await statuses(app, id)).state, 'cancelling');
  await revoke(app, agent.id);
  assert.equal((await statuses(app, id)).state, 'cancelled');
  assert.equal(await notWithdrawn(app, id), 2);
});

test('a new deployment takes the place of what an earlier one was still to take back', async () => {
  await using app = await deployingApp();
  const { agent, id, environment } = await scenario(app, 2, { strategy: 'canary' });
  await completeAllTasks(app, agent);
  await app.module.deployments.halt(app.caller('operator'), { id, reason: 'Errors doubled.' });
  const next = await app.seed.approved(await app.seed.ready(), environment);
  await app.launch(next.id);
  assert.deepEqual(
    (await completeAllTasks(app, agent)).map(({ task }) => task.action),
    ['apply', 'apply'],
  );
});

test('an agent that no longer serves a target still takes back what it has there, and says nothing of what runs now', async () => {
  await using app = await deployingApp();
  const { agent, id, environment, targets } = await scenario(app, 2, { strategy: 'canary' });
  await completeAllTasks(app, agent);
  const operator = app.caller('operator');
  await app.module.deployments.halt(operator, { id, reason: 'Errors doubled.' });
  const next = await app.register();
  for (const { id: targetId } of targets) {
    const { version: expectedVersion } = await app.module.targets.get(operator, { id: targetId });
    await app.module.targets.assignAgent(operator, { targetId, agentId: next.id, expectedVersion });
  }
  await app.launch((await app.seed.approved(await app.seed.ready(), environment)).id);
  assert.equal((await completeAllTasks(app, next)).length, 2);
  const observation = async () =>
    (await app.module.estate.drift(operator, { filter: { state: 'in_sync' } })).items.length;
  assert.equal(await observation(), 2);
  const nothing = { step: 'done', already: false, components: [], log: '', redacted: 0 };
  assert.deepEqual(
    (await completeAllTasks(app, agent, () => nothing)).map(({ task }) => task.action),
    ['withdraw', 'withdraw'],
  );
  assert.equal(await observation(), 2);
});

test('who may do what to a deployment is said by the rule that refuses it', async () => {
  await using app = await deployingApp();
  const { agent, id } = await scenario(app, 2, { strategy: 'canary' });
  const fields = ['Pause', 'Resume', 'Advance', 'Halt', 'Cancel'];
  const query = `query ($id: ID!) { deployment(id: $id) { ${fields.map((name) => `viewerCan${name} { allowed code }`).join(' ')} } }`;
  const allowed = async () => {
    const { data, errors } = await app.graph(query, { id });
    assert.equal(errors, undefined);
    const answers: Readonly<Record<string, { allowed: boolean }>> = JSON.parse(JSON.stringify(data)).deployment;
    return fields.filter((name) => answers[`viewerCan${name}`]?.allowed);
  };
  assert.deepEqual(await allowed(), ['Pause', 'Halt', 'Cancel']);
  await completeAllTasks(app, agent);
  assert.deepEqual(await allowed(), ['Advance', 'Halt', 'Cancel']);
});

test('a gate that its metrics are to open needs a policy', async () => {
  await using app = await deployingApp();
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  const agent = await app.register();
  for (let i = 0; i < 2; i++) await app.seed.target(environment, agent);
  const promotion = await app.seed.approved(await app.seed.ready(), environment);
  await assert.rejects(
    app.module.deployments.launch(app.caller('operator'), {
      promotionId: promotion.id,
      strategy: 'canary',
      params: { gate: 'analysis' },
    }),
    refusal('VAL_INVALID_VALUE'),
  );
});
