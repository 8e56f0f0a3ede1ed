import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_REPORTS, MAX_SECRET, MAX_SECRET_REFS } from '@landfall/agent/protocol/limits';
import { messages } from '@landfall/agent/protocol/messages';
import { openSealed } from '@landfall/agent/protocol/sealing';
import { toTenantId } from '@landfall/kernel/core/ids';
import { json } from '@landfall/kernel/db/columns';
import type { Sql } from '@landfall/kernel/db/sql';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import { LEASE_SECONDS, MAX_ATTEMPTS } from '../../catalogue/agents/liveness.ts';
import { refusal } from '../../testing/catalogue-app.ts';
import { type DeployingApp, deployingApp, landedAt, leased, type TestAgent } from '../../testing/deploying-app.ts';

let path = 1_000;

/** Launches a deployment with a task for `agent`, into an environment before the earlier ones. */
const launched = async (app: DeployingApp, agent: TestAgent, target: Readonly<Record<string, unknown>> = {}) => {
  path -= 1;
  const environment = await app.seed.environment({ requiredApprovals: 0, orderIndex: path });
  await app.seed.target(environment, agent, target);
  const promotion = await app.seed.approved(await app.seed.ready(), environment);
  return app.launch(promotion.id);
};

const read = (app: DeployingApp, id: string) => app.module.deployments.get(app.caller('viewer'), { id });

const change = (app: DeployingApp, statement: Sql) =>
  app.deps.database.write(toTenantId('acme'), (tx) => tx.run(statement));

test('a beat tells of each held task how long it has, as its deployment is paused and goes on', async () => {
  await using app = await deployingApp();
  const agent = await app.register();
  const { id } = await launched(app, agent);
  const { task } = await leased(app, agent);
  const deadlineOf = async () => {
    const beat = await app.beat(agent, { held: [{ taskId: task.taskId, fence: task.fence }] });
    assert(messages.beat.Check(beat));
    return beat.leases[0]?.deadline;
  };
  assert.equal(await deadlineOf(), task.deadline);
  for (const verb of ['pause', 'resume'] as const) {
    await app.clock.advance(5_000);
    await app.module.deployments[verb](app.caller('operator'), { id });
    assert.equal(await deadlineOf(), (await read(app, id)).deadlineAt.toISOString(), verb);
    assert.notEqual(await deadlineOf(), task.deadline, verb);
  }
});

test('a task whose leases run out is handed out no more often than it may be tried', async () => {
  await using app = await deployingApp();
  const agent = await app.register();
  await launched(app, agent);
  const leased: boolean[] = [];
  for (let attempt = 0; attempt <= MAX_ATTEMPTS; attempt++) {
    leased.push((await app.lease(agent)) !== null);
    await app.clock.advance(LEASE_SECONDS * 1_000);
  }
  assert.deepEqual(leased, [...Array.from({ length: MAX_ATTEMPTS }, () => true), false]);
});

test('a task that its agent could not read fails, and keeps no other from being taken', async () => {
  await using app = await deployingApp();
  const agent = await app.register();
  const spoilt = await launched(app, agent);
  const sound = await launched(app, agent);
  await change(
    app,
    sql`update orchestrator.agent_tasks set spec = jsonb_set(spec, '{components,0,port}', '70000') where deployment_id = ${spoilt.id}`,
  );
  assert.equal(await app.lease(agent), null);
  const { state, anatomy } = await read(app, spoilt.id);
  assert.deepEqual([state, anatomy?.category], ['failed', 'Unclassified']);
  assert.match(anatomy?.detail ?? '', /does not fit the agent protocol: \/components\/0\/port/);
  const assignment = await leased(app, agent);
  await app.report(agent, assignment, 1, landedAt(assignment));
  assert.equal((await read(app, sound.id)).state, 'completed');
});

test('the largest secrets a target may refer to reach its agent', async () => {
  await using app = await deployingApp();
  const agent = await app.register();
  const names = Array.from({ length: MAX_SECRET_REFS }, (_, i) => `SECRET_${i}`);
  for (const name of names)
    await app.module.secrets.save(app.caller('operator'), { name, value: 'x'.repeat(MAX_SECRET) });
  await launched(app, agent, { secretRefs: names.map((name) => ({ variable: name, secret: name })) });
  const { task } = await leased(app, agent);
  assert(messages.task.Check(task) && task.secrets);
  const { env } = JSON.parse(openSealed(agent.privateKey, task.secrets, task.taskId));
  assert.deepEqual([Object.keys(env).length, env.SECRET_63.length], [MAX_SECRET_REFS, MAX_SECRET]);
});

test('preflight counts the secrets of target and variable set together, and how large they are once sealed', async () => {
  await using app = await deployingApp();
  const operator = app.caller('operator');
  const agent = await app.register();
  const checked = async (own: readonly string[], shared: readonly string[]) => {
    path -= 1;
    const environment = await app.seed.environment({ requiredApprovals: 0, orderIndex: path });
    await app.seed.target(environment, agent, {
      secretRefs: own.map((secret, i) => ({ variable: `OWN_${i}`, secret })),
    });
    const environmentId = environment.id;
    const variables = shared.map((secret, i) => ({ name: `SHARED_${i}`, secret }));
    await app.module.variableSets.save(operator, { environmentId, expectedVersion: 0, variables });
    const { id: releaseId } = await app.seed.ready();
    const { armed, checks } = await app.module.deployments.preflight(operator, { releaseId, environmentId });
    const found = checks.find(({ key }) => key === 'secret-resolvable');
    return { armed, reason: found?.anatomy?.reason, detail: found?.detail ?? '' };
  };
  const references = (count: number) => Array.from({ length: count }, (_, i) => `env:PLACE_${i}`);
  assert.equal((await checked(references(40), references(MAX_SECRET_REFS - 40))).armed, true);
  const many = await checked(references(40), references(MAX_SECRET_REFS - 39));
  assert.deepEqual([many.armed, many.reason], [false, 'secrets-too-large']);
  assert.match(many.detail, /name 65 secrets of the agent’s; 64 are the most/);
  await app.module.secrets.save(operator, { name: 'wide', value: '\u0001'.repeat(MAX_SECRET) });
  const broad = await checked(
    Array.from({ length: 40 }, () => 'wide'),
    [],
  );
  assert.deepEqual([broad.armed, broad.reason], [false, 'secrets-too-large']);
  assert.match(broad.detail, /characters once they are sealed/);
});

test('secrets that are too large once sealed fail their task with that reason', async () => {
  await using app = await deployingApp();
  const agent = await app.register();
  const names = Array.from({ length: MAX_SECRET_REFS }, (_, i) => `SECRET_${i}`);
  for (const name of names) await app.module.secrets.save(app.caller('operator'), { name, value: 'small' });
  const deployment = await launched(app, agent, {
    secretRefs: names.map((name) => ({ variable: name, secret: name })),
  });
  // Preflight, which counts them, has passed.
  for (const name of names)
    await app.module.secrets.save(app.caller('operator'), { name, value: '\u0001'.repeat(MAX_SECRET) });
  assert.equal(await app.lease(agent), null);
  assert.match((await read(app, deployment.id)).anatomy?.detail ?? '', /\/secrets/);
});

test('a task that cannot be handed out locks its job before itself, as every report does', async () => {
  await using app = await deployingApp();
  const agent = await app.register();
  await app.module.secrets.save(app.caller('operator'), { name: 'key', value: 'x' });
  const deployment = await launched(app, agent, { secretRefs: [{ variable: 'KEY', secret: 'key' }] });
  await change(app, sql`update orchestrator.agent_tasks set secret_refs = '{"KEY": "nowhere"}'`);
  app.statements.length = 0;
  assert.equal(await app.lease(agent), null);
  const order = ['promotions.lock', 'deployments.lock', 'agent_tasks.lock', 'tasks.progress'].map(
    (name) => `orchestrator.${name}`,
  );
  assert.deepEqual(
    app.statements.filter((name) => name === 'orchestrator.tasks.lease' || order.includes(name ?? '')).slice(0, 4),
    order,
  );
  assert.equal((await read(app, deployment.id)).anatomy?.category, 'SecretResolution');
});

test('an agent that is revoked while it waits is given nothing', async () => {
  await using app = await deployingApp();
  const agent = await app.register();
  await launched(app, agent);
  await app.module.agents.revoke(app.caller('operator'), { id: agent.id, expectedVersion: 1, reason: 'Sold.' });
  await assert.rejects(app.lease(agent), refusal('AUTH_AGENT_CERT_INVALID'));
});

test('a poll that was let in with a certificate that is another’s now is given nothing', async () => {
  await using app = await deployingApp();
  const agent = await app.register();
  await launched(app, agent);
  const before = { ...agent, caller: { ...agent.caller, certificateSerial: 'before' } };
  await assert.rejects(app.lease(before), refusal('AUTH_AGENT_CERT_INVALID'));
});

test('a lease takes so many reports and no more', async () => {
  await using app = await deployingApp();
  const agent = await app.register();
  await launched(app, agent);
  const assignment = await leased(app, agent);
  const pulled = { step: 'pulled', bytes: 1 };
  await app.report(agent, assignment, MAX_REPORTS, pulled);
  await assert.rejects(app.report(agent, assignment, MAX_REPORTS + 1, pulled), refusal('VAL_INVALID_VALUE'));
});

test('a report of more components than a release can have is refused', async () => {
  await using app = await deployingApp();
  const agent = await app.register();
  await launched(app, agent);
  const assignment = await leased(app, agent);
  const components = Array.from({ length: 65 }, (_, i) => ({ name: `c-${i}`, pid: 1 }));
  await assert.rejects(app.report(agent, assignment, 1, { step: 'stopped', components }), refusal('VAL_INVALID_VALUE'));
});

// spec: rulings/51
test('that secrets were replaced in what an agent saw is told in the event', async () => {
  await using app = await deployingApp();
  const agent = await app.register();
  const deployment = await launched(app, agent);
  const assignment = await leased(app, agent);
  await app.report(agent, assignment, 1, { step: 'pulled', bytes: 1 });
  await app.report(agent, assignment, 2, { ...landedAt(assignment), redacted: 3 });
  const shape = table('kernel.events.step', { data: json(Type.Object({ redacted: Type.Optional(Type.Integer()) })) });
  const events = await app.rows(
    shape,
    sql`select data from kernel.events e where type = 'deployment.step' and entity_id = ${deployment.id} order by e.xid, id`,
  );
  assert.deepEqual(
    events.map(({ data }) => data.redacted),
    [undefined, 3],
  );
});

test('a task that nobody can settle keeps no other tenant’s from being settled', async () => {
  await using app = await deployingApp();
  const agent = await app.register();
  const spoilt = await launched(app, agent);
  const other = await launched(app, agent);
  await change(app, sql`update orchestrator.deployments set plan = '{}' where id = ${spoilt.id}`);
  await app.clock.advance(40_000);
  await app.module.runOnce.watch();
  assert.equal((await read(app, other.id)).anatomy?.category, 'AgentOffline');
});
