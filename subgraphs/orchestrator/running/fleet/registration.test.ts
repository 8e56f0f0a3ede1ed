import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseToken } from '@landfall/agent/protocol/token';
import { openIdentity } from '@landfall/agent/state/identity';
import { integer, json, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { caller } from '@landfall/kernel/testing/callers';
import Type from 'typebox';
import { refusal } from '../../testing/catalogue-app.ts';
import { deployingApp } from '../../testing/deploying-app.ts';
import * as store from './agents.store.ts';

const app = await deployingApp();
const directory = await mkdtemp(join(tmpdir(), 'landfall-registration-'));
const identity = await openIdentity(directory);
after(async () => {
  await app[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

const operator = app.caller('operator');
const register = app.module.operations.find(({ spec }) => spec.name === 'agent.register') ?? assert.fail();
const registering = caller({ subject: 'registration', kind: 'agent' });
let count = 0;
/** Agent names by token. */
const names = new Map<string, string>();

const attempt = async (value: string, overrides: Readonly<Record<string, unknown>> = {}) => {
  const name = names.get(value) ?? 'stranger';
  const answer = await register(registering, {
    token: parseToken(value)?.secret,
    csr: await identity.request(name),
    name,
    version: '1.0.0',
    capabilities: { process: '1' },
    hostFacts: { platform: 'linux/amd64', hostname: 'test', cpus: 2 },
    clock: app.deps.clock.now().toISOString(),
    ...overrides,
  });
  return Object(answer);
};

const newToken = async (input: Readonly<Record<string, unknown>> = {}): Promise<string> => {
  count += 1;
  const name = String(input.name ?? `node-${count}`);
  const { value } = await app.module.agents.createToken(operator, { ...input, name });
  names.set(value, name);
  return value;
};

test('a token is told with where its agent is to register', async () => {
  const { agentUrl } = await app.module.agents.createToken(operator, { name: 'somebody' });
  assert.equal(agentUrl, 'https://127.0.0.1:4002');
});

test('an agent gets a 24 hour client certificate in its own name, signed by the authority that its token pins', async () => {
  const value = await newToken();
  const { certificate, ca, agentId, renewAfter } = await attempt(value);
  const leaf = new X509Certificate(certificate);
  const authority = new X509Certificate(ca);
  assert(leaf.verify(authority.publicKey));
  assert.equal(leaf.subjectAltName, `URI:spiffe://landfall.example/acme/agent/${agentId}`);
  assert.deepEqual(leaf.keyUsage, ['1.3.6.1.5.5.7.3.2']);
  assert.equal(leaf.ca, false);
  const now = app.deps.clock.now().getTime();
  assert.equal(Date.parse(leaf.validTo) - now, 24 * 3_600_000);
  assert.equal(Date.parse(renewAfter) - now, 16 * 3_600_000);
});

// spec: 7.2/AGT_TOKEN_USED
test('of eight that use one token at once exactly one is registered', async () => {
  const value = await newToken();
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => attempt(value)));
  const refused = results.filter((result) => result.status === 'rejected');
  assert.equal(refused.length, 7);
  for (const { reason } of refused) assert(refusal('AGT_TOKEN_USED')(reason), String(reason));
});

// spec: 7.2/AGT_TOKEN_INVALID
test('a token that is unknown or past its time is refused', async () => {
  await assert.rejects(attempt(`lfa_${'A'.repeat(43)}.${'B'.repeat(43)}`), refusal('AGT_TOKEN_INVALID'));
  const value = await newToken({ ttlSeconds: 60 });
  await app.clock.advance(60_000);
  await assert.rejects(attempt(value), refusal('AGT_TOKEN_INVALID'));
});

// spec: 7.2/AGT_REGISTRATION_FAILED, 7.2/AGT_CERTIFICATE_FAILED
test('a refused registration leaves its token good for another try', async () => {
  const value = await newToken();
  const delayed = new Date(app.deps.clock.now().getTime() - 6 * 60_000).toISOString();
  await assert.rejects(attempt(value, { clock: delayed }), refusal('AGT_REGISTRATION_FAILED'));
  const csr = `-----BEGIN CERTIFICATE REQUEST-----\n${'MA=='.repeat(20)}\n-----END CERTIFICATE REQUEST-----`;
  await assert.rejects(attempt(value, { csr }), refusal('AGT_CERTIFICATE_FAILED'));
  const forged = (await identity.request('x')).replace(/.{8}\n-----END/, 'AAAAAAAA\n-----END');
  await assert.rejects(attempt(value, { csr: forged }), refusal('AGT_CERTIFICATE_FAILED'));
  const { agentId } = await attempt(value);
  assert(agentId);
});

const agentsCalled = async (name: string) =>
  (await app.module.agents.list(operator, {})).filter((agent) => agent.name === name);

const eventShape = table('kernel.events.registered', {
  version: integer,
  data: json(Type.Object({}, { additionalProperties: true })),
});
const lastEvent = async (agentId: string, type = 'agent.register') =>
  (
    await app.rows(
      eventShape,
      sql`select version, data from kernel.events e where entity_id = ${agentId} and type = ${type} order by e.xid, id`,
    )
  ).at(-1);

test('a token registers the agent of its name alone, and a try under another name leaves it good', async () => {
  const value = await newToken({ name: 'harbour-1' });
  await assert.rejects(
    attempt(value, { name: 'harbour-2' }),
    refusal('AGT_REGISTRATION_FAILED', { name: 'harbour-2' }),
  );
  assert.deepEqual(await agentsCalled('harbour-2'), []);
  assert.ok((await attempt(value)).agentId);
});

test('a token of another name takes over no agent that is away', async () => {
  const { agentId, certificate } = await attempt(await newToken({ name: 'unattended' }));
  await app.clock.advance(40_000);
  await app.module.runOnce.watch();
  const [before] = await agentsCalled('unattended');
  assert.equal(before?.state, 'offline');
  const other = await newToken({ name: 'somebody-else' });
  await assert.rejects(
    attempt(other, { name: 'unattended' }),
    refusal('AGT_REGISTRATION_FAILED', { name: 'unattended' }),
  );
  assert.deepEqual(await agentsCalled('unattended'), [before]);
  const known = await app.deps.database.system.read((query) =>
    store.identify(query, 'acme', agentId, new X509Certificate(certificate).serialNumber.toLowerCase()),
  );
  assert.equal(known?.id, agentId, 'its own certificate is still good');
});

test('a token has the name of an agent, and is made by administrators only', async () => {
  for (const name of [undefined, '', 'Not A Name', '-x', 'x'.repeat(65)])
    await assert.rejects(app.module.agents.createToken(operator, { name }), (error) => error instanceof Error);
  await assert.rejects(
    app.module.agents.createToken(app.caller('viewer'), { name: 'harbour-3' }),
    refusal('PERM_SCOPE_DENIED'),
  );
});

test('of two agents of one name the second is refused while the first is at work, its token unspent', async () => {
  const first = await attempt(await newToken({ name: 'twin' }));
  const value = await newToken({ name: 'twin' });
  const repeated = () => attempt(value);
  await assert.rejects(repeated(), refusal('AGT_REGISTRATION_FAILED', { name: 'twin' }));
  await app.clock.advance(15_000);
  await app.module.runOnce.watch();
  await assert.rejects(repeated(), refusal('AGT_REGISTRATION_FAILED', { name: 'twin' }), 'stale is not away');
  await app.clock.advance(25_000);
  await app.module.runOnce.watch();
  assert.equal((await repeated()).agentId, first.agentId, 'once it is away, the token brings it back');
});

test('an agent that was away comes back under its name, with its id, a new key and a new certificate', async () => {
  const { agentId, certificate } = await attempt(await newToken({ name: 'away' }));
  await app.clock.advance(40_000);
  await app.module.runOnce.watch();
  const [offline] = await agentsCalled('away');
  const back = await openIdentity(await mkdtemp(join(directory, 'away-')));
  const returned = await attempt(await newToken({ name: 'away' }), {
    csr: await back.request('away'),
    version: '1.1.0',
  });
  const [agent, ...others] = await agentsCalled('away');
  assert.deepEqual([returned.agentId, agent?.id, others.length], [agentId, agentId, 0]);
  assert.deepEqual(
    [agent?.state, agent?.version, agent?.softwareVersion],
    ['active', (offline?.version ?? 0) + 1, '1.1.0'],
  );
  assert.notEqual(agent?.publicKey, offline?.publicKey);
  const events = await lastEvent(agentId);
  const serial = new X509Certificate(returned.certificate).serialNumber.toLowerCase();
  assert.equal(events?.version, agent?.version);
  assert.deepEqual(
    [Reflect.get(events?.data ?? {}, 'returned'), Reflect.get(events?.data ?? {}, 'serial')],
    ['offline', serial],
  );
  const revoked = await lastEvent(agentId, 'agent.revokeCertificate');
  const former = new X509Certificate(certificate).serialNumber.toLowerCase();
  assert.deepEqual([revoked?.version, Reflect.get(revoked?.data ?? {}, 'serial')], [agent?.version, former]);
  const identify = (pem: string) =>
    app.deps.database.system.read((query) =>
      store.identify(query, 'acme', agentId, new X509Certificate(pem).serialNumber.toLowerCase()),
    );
  assert.equal(await identify(certificate), undefined, 'the certificate from before is nobody’s');
  assert.equal((await identify(returned.certificate))?.id, agentId);
});

test('an agent whose certificate ran out while nobody watched comes back with a token', async () => {
  const { agentId } = await attempt(await newToken({ name: 'asleep' }));
  await app.clock.advance(24 * 3_600_000);
  assert.deepEqual(
    (await agentsCalled('asleep')).map(({ state }) => state),
    ['active'],
  );
  const returned = await attempt(await newToken({ name: 'asleep' }));
  assert.equal(returned.agentId, agentId);
});

test('of two that come back under one name at once one gets it', async () => {
  await attempt(await newToken({ name: 'wanted' }));
  await app.clock.advance(24 * 3_600_000);
  const values = [];
  for (let i = 0; i < 3; i++) values.push(await newToken({ name: 'wanted' }));
  const results = await Promise.allSettled(values.map((value) => attempt(value)));
  const refused = results.filter((result) => result.status === 'rejected');
  assert.equal(refused.length, 2);
  for (const { reason } of refused) assert(refusal('AGT_REGISTRATION_FAILED')(reason), String(reason));
});

test('a token of other environments does not take over what an agent serves', async () => {
  const [own, other] = [await app.seed.environment(), await app.seed.environment()];
  const { agentId } = await attempt(await newToken({ name: 'guard' }));
  await app.module.targets.create(operator, {
    ...{ environmentId: own.id, name: 'web', driver: 'process', config: { port: 8080 }, agentId },
  });
  await app.clock.advance(24 * 3_600_000);
  const narrow = await newToken({ name: 'guard', environmentIds: [other.id] });
  await assert.rejects(attempt(narrow), refusal('AGT_REGISTRATION_FAILED', { name: 'guard' }));
  const broad = await newToken({ name: 'guard', environmentIds: [own.id, other.id] });
  assert.equal((await attempt(broad)).agentId, agentId);
});

test('drivers are few and well named: what is not is refused, not kept', async () => {
  const value = await newToken();
  const tooMany = Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`driver-${i}`, '1']));
  await assert.rejects(attempt(value, { capabilities: tooMany }), refusal('VAL_TOO_LONG'));
  await assert.rejects(attempt(value, { capabilities: { 'Not A Driver': 7 } }), refusal('VAL_SCHEMA_MISMATCH'));
  const hostFacts = { platform: 'linux/amd64', hostname: 'test', cpus: 2, more: 'x' };
  await assert.rejects(attempt(value, { hostFacts }), refusal('VAL_SCHEMA_MISMATCH'));
});

test('of what agents are the system role reads no more than it needs', async () => {
  const column = table('any', { value: text });
  for (const statement of [
    sql`select public_key as value from orchestrator.agents`,
    sql`select host_facts::text as value from orchestrator.agents`,
    sql`select created_by as value from orchestrator.registration_tokens`,
    sql`select secret_refs::text as value from orchestrator.agent_tasks`,
    sql`select plan::text as value from orchestrator.deployments`,
  ])
    await assert.rejects(
      app.deps.database.system.read((query) => query.list(column, statement)),
      /permission denied/,
    );
});

test('people cannot act as agents, nor agents as people', async () => {
  await assert.rejects(register(operator, {}), refusal('PERM_DENIED'));
  await assert.rejects(app.module.agents.list(registering, {}), refusal('PERM_DENIED'));
});

test('only what an agent saw on its own targets is kept', async () => {
  const environment = await app.seed.environment();
  const [own, other] = [await app.register(), await app.register()];
  const target = await app.seed.target(environment, own);
  const observation = (digest: string) => ({
    observed: [
      {
        targetId: target.id,
        component: 'web',
        running: true,
        digest,
        reason: null,
        observedAt: app.deps.clock.now().toISOString(),
      },
    ],
  });
  const running = async () => {
    const { data } = await app.graph('query ($id: ID) { targets(environmentId: $id) { observations { digest } } }', {
      id: environment.id,
    });
    return JSON.parse(JSON.stringify(data)).targets[0].observations;
  };
  const digest = `sha256:${'a'.repeat(64)}`;
  await app.beat(other, observation(digest));
  assert.deepEqual(await running(), []);
  await app.beat(own, observation(digest));
  assert.deepEqual(await running(), [{ digest }]);
});

test('silence shows: a missed beat is stale, three are offline, a beat brings the agent back', async () => {
  const agent = await app.register();
  const state = async () => (await app.module.agents.list(operator, {})).find(({ id }) => id === agent.id)?.state;
  await app.beat(agent);
  assert.equal(await state(), 'active');
  await app.clock.advance(15_000);
  await app.module.runOnce.watch();
  assert.equal(await state(), 'stale');
  await app.clock.advance(15_000);
  await app.module.runOnce.watch();
  assert.equal(await state(), 'offline');
  await app.beat(agent);
  assert.equal(await state(), 'active');
});
