import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleId } from '@landfall/kernel/core/ids';
import { refusal } from '../../testing/catalogue-app.ts';
import { type DeployingApp, deployingApp, leased, type TestAgent } from '../../testing/deploying-app.ts';

const revoke = (app: DeployingApp, agent: TestAgent, expectedVersion = 1) =>
  app.module.agents.revoke(app.caller('operator'), { id: agent.id, expectedVersion, reason: 'The host was sold.' });

/** Creates an agent with a target in a running deployment that includes another agent's target too. */
const scenario = async (app: DeployingApp) => {
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  const [agent, other] = [await app.register(), await app.register()];
  const target = await app.seed.target(environment, agent);
  await app.seed.target(environment, other);
  const job = await app.launch((await app.seed.approved(await app.seed.ready(), environment)).id);
  return { environment, agent, other, target, job };
};

const ask = async (app: DeployingApp, query: string, variables: object, person: 'operator' | 'viewer' = 'operator') => {
  const { data, errors } = await app.graph(query, { ...variables }, { as: person });
  assert.equal(errors, undefined);
  return JSON.parse(JSON.stringify(data));
};

// spec: 7.2/AUTH_AGENT_CERT_INVALID
test('whatever a revoked agent asks for is refused, also what was let in a moment before', async () => {
  await using app = await deployingApp();
  const { agent } = await scenario(app);
  const assignment = await leased(app, agent);
  await revoke(app, agent);
  const invalid = refusal('AUTH_AGENT_CERT_INVALID');
  const { csr } = { csr: '-----BEGIN CERTIFICATE REQUEST-----\nMA==\n-----END CERTIFICATE REQUEST-----' };
  await assert.rejects(app.lease(agent), invalid);
  await assert.rejects(app.beat(agent), invalid);
  await assert.rejects(app.report(agent, assignment, 1, { step: 'pulled', bytes: 1 }), refusal('RES_VERSION_CONFLICT'));
  const renew = app.module.operations.find(({ spec }) => spec.name === 'agent.renewCertificate');
  await assert.rejects(renew?.(agent.caller, { csr }) ?? assert.fail(), refusal('AGT_CERTIFICATE_FAILED'));
});

test('the tasks of a revoked agent are lost at once: its target has no agent, and others go on', async () => {
  await using app = await deployingApp();
  const { agent, other, target, job } = await scenario(app);
  await leased(app, agent);
  await revoke(app, agent);
  const { deployment } = await ask(
    app,
    'query ($id: ID!) { deployment(id: $id) { status targets { status failureAnatomy { category reason stage detail retryable } } } }',
    { id: job.id },
  );
  assert.equal(deployment.status, 'IN_PROGRESS');
  assert.deepEqual(
    deployment.targets.map(({ status }: { status: string }) => status),
    ['FAILED', 'PENDING'],
  );
  assert.deepEqual(deployment.targets[0].failureAnatomy, {
    category: 'AgentUnassigned',
    reason: 'agent-unassigned',
    stage: 'execution',
    detail: 'its agent agent-1 was revoked: The host was sold.',
    retryable: false,
  });
  const observation = await app.module.targets.get(app.caller('viewer'), { id: target.id });
  assert.equal(observation.healthState, 'unknown');
  await leased(app, other);
});

test('a task that comes for an agent after its end is lost as well', async () => {
  await using app = await deployingApp();
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  const delayed = await app.register();
  await app.seed.target(environment, delayed);
  const promotion = await app.seed.approved(await app.seed.ready(), environment);
  const job = await app.module.deployments.launch(app.caller('operator'), { promotionId: promotion.id });
  await revoke(app, delayed);
  await app.module.runOnce.runner();
  await app.module.runOnce.watch();
  const { state, anatomy } = await app.module.deployments.get(app.caller('viewer'), { id: job.id });
  assert.deepEqual([state, anatomy?.reason], ['failed', 'agent-unassigned']);
});

test('an end is said once, with its reason and by whom, and who may not is told so', async () => {
  await using app = await deployingApp();
  const agent = await app.register();
  const query = `query ($id: ID!) {
    agent(id: $id) { state revocation { reason actor { id } } viewerCanRevoke { allowed code } }
  }`;
  const before = await ask(app, query, { id: agent.id });
  assert.deepEqual(before.agent, { state: 'ACTIVE', revocation: null, viewerCanRevoke: { allowed: true, code: null } });
  assert.equal((await ask(app, query, { id: agent.id }, 'viewer')).agent.viewerCanRevoke.code, 'PERM_SCOPE_DENIED');
  await assert.rejects(revoke(app, agent, 2), refusal('RES_VERSION_CONFLICT'));
  const { version } = await revoke(app, agent);
  await assert.rejects(revoke(app, agent, version), refusal('RES_CONFLICT', { state: 'revoked', allowed: [] }));
  await assert.rejects(
    app.module.agents.get(app.caller('viewer'), { id: exampleId('Agent') }),
    refusal('RES_AGENT_NOT_FOUND'),
  );
  const after = await ask(app, query, { id: agent.id });
  assert.deepEqual(after.agent, {
    state: 'REVOKED',
    revocation: { reason: 'The host was sold.', actor: { id: app.caller('operator').subject } },
    viewerCanRevoke: { allowed: false, code: 'RES_CONFLICT' },
  });
});

test('a target is not given to an agent that is revoked', async () => {
  await using app = await deployingApp();
  const environment = await app.seed.environment();
  const agent = await app.register();
  await revoke(app, agent);
  await assert.rejects(app.seed.target(environment, agent), refusal('RES_CONFLICT', { state: 'revoked' }));
});
