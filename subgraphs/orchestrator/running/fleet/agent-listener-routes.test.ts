import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Heartbeat, messages, paths, type StepReport } from '@landfall/agent/protocol/messages';
import { createConnection } from '@landfall/agent/server/connection';
import { enrol } from '@landfall/agent/server/enrol';
import { openIdentity } from '@landfall/agent/state/identity';
import { Fault } from '@landfall/kernel/core/fault';
import { caller, people } from '@landfall/kernel/testing/callers';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { requestHeartbeat } from '../../catalogue/agents/agent.ts';
import { agentWire } from './agent-network.fixture.ts';
import { createCertificateAuthority } from './certificate-authority.ts';

const wire = await agentWire();
after(() => wire[Symbol.asyncDispose]());

const { signal } = new AbortController();
const ca = await wire.authority.certificate();
let count = 0;

const clockAt = (hours: number) => ({ now: () => new Date(Date.now() + hours * 3_600_000) });

const newIdentity = async () => {
  count += 1;
  return { name: `node-${count}`, identity: await openIdentity(join(wire.directory, `node-${count}`)) };
};

/** Registers an agent and returns its connection with the certificate. */
const register = async () => {
  const { name, identity } = await newIdentity();
  const enrolment = {
    server: new URL(wire.origin),
    token: await wire.token('operator', { name }),
    name,
    version: '1.0.0',
    platform: 'linux/amd64',
    capabilities: { process: '1' },
    clock: { now: () => new Date() },
  };
  const known = await enrol(identity, enrolment, signal);
  const connection = createConnection(new URL(wire.origin), { ...known, privateKey: identity.privateKey });
  return { ...known, name, identity, connection };
};

/** Opens a connection with a certificate for `agentId` by an authority with another clock or key. */
const withCertificate = async (agentId: string, authority: Pick<typeof wire.authority, 'sign'>) => {
  const { name, identity } = await newIdentity();
  const csr = await identity.request(name);
  const spiffeId = `spiffe://landfall.test/acme/agent/${agentId}`;
  const { pem } = await authority.sign(csr, { tenant: 'acme', agentId, spiffeId });
  return createConnection(new URL(wire.origin), { ca, certificate: pem, privateKey: identity.privateKey });
};

const sendHeartbeat = (overrides: Partial<Heartbeat> = {}): Heartbeat => ({
  held: [],
  capabilities: { process: '1' },
  observed: [],
  diskFree: 1,
  clock: new Date().toISOString(),
  ...overrides,
});

const isFault = (code: string) => (error: unknown) => {
  assert.ok(error instanceof Fault, String(error));
  assert.equal(error.code, code, error.message);
  return true;
};

// spec: 7.2/AUTH_AGENT_CERT_INVALID
test('without a certificate every path but registration is closed', async () => {
  const connection = createConnection(new URL(wire.origin), { ca });
  for (const path of [paths.heartbeat, paths.poll, paths.report, paths.renew, paths.log])
    await assert.rejects(connection.post(path, sendHeartbeat(), signal), isFault('AUTH_AGENT_CERT_INVALID'));
  await connection.close();
});

// spec: 7.2/AUTH_AGENT_CERT_EXPIRED
test('an expired certificate is told apart from a bad one', async () => {
  const { agentId } = await register();
  const yesterday = createCertificateAuthority({ ...wire.deps, clock: clockAt(-25) });
  const expired = await withCertificate(agentId, yesterday);
  await assert.rejects(expired.post(paths.heartbeat, sendHeartbeat(), signal), isFault('AUTH_AGENT_CERT_EXPIRED'));
  await expired.close();
});

test('a connection that outlives its certificate is refused from then on', async () => {
  const { connection } = await register();
  await connection.post(paths.heartbeat, sendHeartbeat(), signal);
  await wire.clock.advance(25 * 3_600_000);
  for (const path of [paths.heartbeat, paths.poll, paths.renew])
    await assert.rejects(connection.post(path, sendHeartbeat(), signal), isFault('AUTH_AGENT_CERT_EXPIRED'));
  await wire.clock.advance(-25 * 3_600_000);
  assert.ok(messages.beat.Check(await connection.post(paths.heartbeat, sendHeartbeat(), signal)));
  await connection.close();
});

test('a certificate that names an agent but is not the one it holds is refused', async () => {
  const { agentId } = await register();
  const second = await withCertificate(agentId, wire.authority);
  await assert.rejects(second.post(paths.heartbeat, sendHeartbeat(), signal), isFault('AUTH_AGENT_CERT_INVALID'));
  await second.close();
});

test('a certificate of another authority is refused', async () => {
  await using other = await agentWire();
  const { agentId } = await register();
  const unknown = await withCertificate(agentId, other.authority);
  await assert.rejects(unknown.post(paths.heartbeat, sendHeartbeat(), signal), isFault('AUTH_AGENT_CERT_INVALID'));
  await unknown.close();
});

test('a renewed certificate is another one, and takes over', async () => {
  const { identity, name, connection } = await register();
  const renewed = await connection.post(paths.renew, { csr: await identity.request(name) }, signal);
  assert.ok(messages.renewed.Check(renewed));
  const next = createConnection(new URL(wire.origin), { ...renewed, privateKey: identity.privateKey });
  assert.ok(messages.beat.Check(await next.post(paths.heartbeat, sendHeartbeat(), signal)));
  await Promise.all([connection.close(), next.close()]);
});

test('an agent whose renewals were never answered still speaks with the certificate it has', async () => {
  const { identity, name, connection } = await register();
  const csr = await identity.request(name);
  for (const _ of [1, 2, 3]) assert.ok(messages.renewed.Check(await connection.post(paths.renew, { csr }, signal)));
  assert.ok(messages.beat.Check(await connection.post(paths.heartbeat, sendHeartbeat(), signal)));
  await connection.close();
});

test('the first beat with a renewed certificate is the end of the one before', async () => {
  const { identity, name, connection } = await register();
  const renewed = await connection.post(paths.renew, { csr: await identity.request(name) }, signal);
  assert.ok(messages.renewed.Check(renewed));
  await connection.post(paths.heartbeat, sendHeartbeat(), signal);
  const next = createConnection(new URL(wire.origin), { ...renewed, privateKey: identity.privateKey });
  await next.post(paths.heartbeat, sendHeartbeat(), signal);
  await assert.rejects(connection.post(paths.heartbeat, sendHeartbeat(), signal), isFault('AUTH_AGENT_CERT_INVALID'));
  await Promise.all([connection.close(), next.close()]);
});

test('a poll that waits is answered at once when somebody calls the agent, and refused when the agent is revoked', async () => {
  const { agentId, connection } = await register();
  const id = wire.agentIdOf(agentId);
  const { tenant } = people.operator;
  const polling = connection.post(paths.poll, {}, signal, 30_000);
  await wire.deps.database.write(tenant ?? assert.fail(), (tx) => requestHeartbeat(tx, tenant ?? assert.fail(), id));
  wire.deps.hints.publish([]);
  assert.deepEqual(await polling, { look: true });
  const repeated = connection.post(paths.poll, {}, signal, 30_000);
  const revoking = wire.revocation.revoke(people.operator, { id, expectedVersion: 1, reason: 'Sold.' });
  await assert.rejects(repeated, isFault('AUTH_AGENT_CERT_INVALID'));
  await revoking;
  for (const path of [paths.heartbeat, paths.poll, paths.report, paths.renew, paths.log])
    await assert.rejects(connection.post(path, sendHeartbeat(), signal), isFault('AUTH_AGENT_CERT_INVALID'));
  await connection.close();
});

test('no report is refused for what a program wrote: what cannot be kept is left out, the rest stays', async () => {
  const { agentId, connection } = await register();
  const taskId = await wire.enqueue(wire.agentIdOf(agentId), crypto.randomUUID(), buildApp({ version: 'v1' }), 1);
  const assignment = await connection.post(paths.poll, {}, signal);
  assert.ok(messages.assignment.Check(assignment));
  const report: StepReport = {
    ...{ step: 'failed', during: 'probed', code: 'AGT_TASK_FAILED', errorClass: 'unclassified' },
    ...{ raw: 'a\0b \u001b[31mred', log: `half ${'😀'.slice(0, 1)} of it` },
  };
  await connection.post(paths.report, { taskId, fence: assignment.task.fence, seq: 1, report }, signal);
  const agentReports = wire.told.find((each) => each.taskId === taskId)?.report;
  assert.deepEqual(agentReports?.step === 'failed' && [agentReports.raw, agentReports.log], [
    'ab \u001b[31mred',
    'half \ufffd of it',
  ]);
  await connection.close();
});

test('a message that does not fit is refused field by field', async () => {
  const { connection } = await register();
  await assert.rejects(
    connection.post(paths.heartbeat, { ...sendHeartbeat(), diskFree: -1, clock: 'yesterday' }, signal),
    (error) => error instanceof Fault && error.code.startsWith('VAL_'),
  );
  await connection.close();
});

const pulled: StepReport = { step: 'pulled', bytes: 1 };

test('a report under an old fence changes nothing; a repeated one is told once', async () => {
  const { agentId, connection } = await register();
  const port = 1;
  const taskId = await wire.enqueue(wire.agentIdOf(agentId), crypto.randomUUID(), buildApp({ version: 'v1' }), port);
  const first = await connection.post(paths.poll, {}, signal);
  assert.ok(messages.assignment.Check(first));
  const { fence } = first.task;
  const report = { taskId, fence, seq: 1, report: pulled };
  const agentReports = () => wire.told.filter((each) => each.taskId === taskId).length;
  for (const _ of [1, 2]) assert.deepEqual(await connection.post(paths.report, report, signal), { accepted: true });
  assert.equal(agentReports(), 1);
  await wire.clock.advance(31_000);
  const second = await connection.post(paths.poll, {}, signal);
  assert.ok(messages.assignment.Check(second));
  assert.equal(second.task.fence, fence + 1);
  await assert.rejects(connection.post(paths.report, { ...report, seq: 2 }, signal), isFault('RES_VERSION_CONFLICT'));
  assert.equal(agentReports(), 1);
  const { leases } = await renewedBy(connection, [{ taskId, fence }]);
  assert.deepEqual(leases, [], 'nor does a beat renew the old fence');
  await connection.close();
});

const renewedBy = async (connection: ReturnType<typeof createConnection>, leases: Heartbeat['held']) => {
  const answer = await connection.post(paths.heartbeat, sendHeartbeat({ held: leases }), signal);
  assert.ok(messages.beat.Check(answer));
  return answer;
};

test('a task is leased once among many polls, and its reports are its agent’s alone', async () => {
  const { agentId, connection } = await register();
  const unrelated = await register();
  const taskId = await wire.enqueue(wire.agentIdOf(agentId), crypto.randomUUID(), buildApp({ version: 'v1' }), 1);
  const actor = caller({ subject: agentId, kind: 'agent' });
  const leased = await Promise.all(Array.from({ length: 6 }, () => wire.tasks.lease(actor, {})));
  assert.equal(leased.filter(Boolean).length, 1);
  const report = { taskId, fence: 1, seq: 1, report: pulled };
  await assert.rejects(unrelated.connection.post(paths.report, report, signal), isFault('RES_NOT_FOUND'));
  await Promise.all([connection.close(), unrelated.connection.close()]);
});

// spec: 7.2/PERM_DENIED
test('people do not get in by the agents’ operations', async () => {
  await assert.rejects(wire.tasks.lease(people.operator, {}), isFault('PERM_DENIED'));
  assert.deepEqual(wire.bugs, []);
});
