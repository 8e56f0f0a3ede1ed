import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { exampleId, toTenantId } from '@landfall/kernel/core/ids';
import { catalogueApp, refusal } from '../../testing/catalogue-app.ts';
import * as store from './targets.store.ts';

const app = await catalogueApp();
after(() => app[Symbol.asyncDispose]());

const { targets } = app.module;
const operator = app.caller('operator');
const environment = await app.seed.environment();

let count = 0;
const create = (overrides: object = {}) => {
  count += 1;
  const usual = { environmentId: environment.id, name: `web-${count}`, driver: 'process', config: { port: 8080 } };
  return targets.create(operator, { ...usual, ...overrides });
};

test('a target has defaults for what nobody said', async () => {
  const target = await create({ name: 'web' });
  assert.deepEqual(target.config, { port: 8080, probePath: '/', probeTimeoutSeconds: 30, env: [] });
  assert.deepEqual(
    [target.state, target.healthState, target.agentId, target.secretRefs],
    ['enrolled', 'unknown', null, []],
  );
  await assert.rejects(create({ name: 'web' }), refusal('RES_ALREADY_EXISTS', { name: 'web' }));
});

test('a configuration that is not the driver’s is refused field by field', async () => {
  await assert.rejects(create({ config: { port: 0 } }), refusal('VAL_INVALID_VALUE'));
  await assert.rejects(create({ config: { port: 80, probePath: 'health' } }), refusal('VAL_INVALID_FORMAT'));
  await assert.rejects(create({ config: { port: 80, replicas: 2 } }), refusal('VAL_SCHEMA_MISMATCH'));
  await assert.rejects(create({ config: {} }), refusal('VAL_REQUIRED_FIELD'));
  await assert.rejects(create({ driver: 'kubernetes' }), refusal('VAL_INVALID_VALUE'));
});

test('what an agent could not read as a task is refused before it is one', async () => {
  const probePath = (length: number) => `/${'x'.repeat(length - 1)}`;
  const secretRefs = (n: number) => Array.from({ length: n }, (_, i) => ({ variable: `KEY_${i}`, secret: 'key' }));
  assert.equal((await create({ config: { port: 80, probePath: probePath(512) } })).config.probePath?.length, 512);
  await assert.rejects(create({ config: { port: 80, probePath: probePath(513) } }), refusal('VAL_TOO_LONG'));
  assert.equal((await create({ secretRefs: secretRefs(64) })).secretRefs.length, 64);
  await assert.rejects(create({ secretRefs: secretRefs(65) }), refusal('VAL_TOO_LONG'));
});

// spec: 7.2/RES_AGENT_NOT_FOUND
test('the environment and the agent of a target must be there', async () => {
  await assert.rejects(create({ environmentId: exampleId('Environment') }), refusal('RES_ENVIRONMENT_NOT_FOUND'));
  await assert.rejects(create({ agentId: exampleId('Agent') }), refusal('RES_AGENT_NOT_FOUND'));
  const otherCaller = app.caller('other-tenant');
  await assert.rejects(
    targets.create(otherCaller, { environmentId: environment.id, name: 'web', driver: 'process', config: { port: 1 } }),
    refusal('RES_ENVIRONMENT_NOT_FOUND'),
  );
});

// spec: 7.2/AGT_CAPABILITY_MISSING
test('an agent is assigned when it can drive the target', async () => {
  const able = await app.force.agent('able', { process: '1' });
  const unable = await app.force.agent('unable', { compose: '2' });
  const target = await create();
  const assign = (agentId: string, expectedVersion = 1) =>
    targets.assignAgent(operator, { targetId: target.id, agentId, expectedVersion });

  await assert.rejects(assign(exampleId('Agent')), refusal('RES_AGENT_NOT_FOUND'));
  await assert.rejects(assign(unable, 2), refusal('RES_VERSION_CONFLICT'));
  await assert.rejects(assign(unable), refusal('AGT_CAPABILITY_MISSING', { driver: 'process', drivers: ['compose'] }));
  assert.equal((await assign(able)).agentId, able);
  assert.equal((await create({ agentId: able })).agentId, able);
  await assert.rejects(create({ agentId: unable }), refusal('AGT_CAPABILITY_MISSING'));
});

test('an agent serves only the environments that its registration names', async () => {
  const other = await app.seed.environment();
  const agentId = await app.force.agent('bound', { process: '1' }, other);
  await assert.rejects(create({ agentId }), refusal('AGT_CAPABILITY_MISSING', { environmentId: environment.id }));
  assert.equal((await create({ agentId, environmentId: other.id })).agentId, agentId);
});

// spec: 7.2/RES_CONFLICT
test('a disabled target is no longer deployed to, whatever its agent says', async () => {
  const target = await create();
  const at = { id: target.id, expectedVersion: target.version };
  const disabled = await targets.disable(operator, at);
  assert.equal(store.isEnabled(disabled), false);
  await assert.rejects(targets.disable(operator, at), refusal('RES_VERSION_CONFLICT'));
  await assert.rejects(targets.disable(operator, { ...at, expectedVersion: 2 }), refusal('RES_CONFLICT'));
  const tenant = toTenantId('acme');
  const heartbeatResult = await app.deps.database.write(tenant, (tx) =>
    store.recordHealth(tx, tenant, target.id, { state: 'healthy', detail: null }, 'agent'),
  );
  assert.deepEqual(
    [heartbeatResult.state, heartbeatResult.healthState, heartbeatResult.version],
    ['disabled', 'healthy', 3],
  );
});

test('targets are listed of one environment or of all, each in its own', async () => {
  const other = await app.seed.environment();
  const { id } = await create({ environmentId: other.id, name: 'far' });
  const { data, errors } = await app.graph(
    `query ($id: ID!) {
      targets(environmentId: $id) { id driver state health { state checkedAt detail } environment { id }
        config { port env { name value } } secretRefs { variable secret } agent { id } }
      environment(id: $id) { targets { id } } }`,
    { id: other.id },
  );
  assert.equal(errors, undefined);
  assert.deepEqual(JSON.parse(JSON.stringify(data)), {
    targets: [
      {
        id,
        driver: 'PROCESS',
        state: 'ENROLLED',
        health: { state: 'UNKNOWN', checkedAt: null, detail: null },
        environment: { id: other.id },
        config: { port: 8080, env: [] },
        secretRefs: [],
        agent: null,
      },
    ],
    environment: { targets: [{ id }] },
  });
  assert.ok((await targets.list(operator, {})).length > 1);
  await assert.rejects(
    targets.list(operator, { environmentId: exampleId('Environment') }),
    refusal('RES_ENVIRONMENT_NOT_FOUND'),
  );
});
