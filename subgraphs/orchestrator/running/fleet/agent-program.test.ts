import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { paths } from '@landfall/agent/protocol/messages';
import { createConnection } from '@landfall/agent/server/connection';
import { type Identity, openIdentity } from '@landfall/agent/state/identity';
import { freePort } from '@landfall/agent/testing/free-port';
import { Fault } from '@landfall/kernel/core/fault';
import { toTenantId } from '@landfall/kernel/core/ids';
import { sql } from '@landfall/kernel/db/sql';
import { caller, people } from '@landfall/kernel/testing/callers';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { testReplacementCrash } from './agent-crash.fixture.ts';
import { agentWire } from './agent-network.fixture.ts';
import { createCertificateAuthority } from './certificate-authority.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

const read = async (port: number): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })).text();

test('an agent registers with its token, takes a task over mutual TLS and lands it', onlyLinux, async () => {
  await using wire = await agentWire();
  const child = wire.start('one', { token: await wire.token() });
  const agentId = await wire.agentId(child);
  const image = buildApp({ version: 'v1' });
  const taskId = await wire.enqueue(agentId, randomUUID(), image, wire.port);
  const end = await wire.endOf(taskId);
  assert.equal(end.step === 'done' && end.components[0]?.observedDigest, image.digest);
  assert.deepEqual(
    wire.told.map(({ report }) => report.step),
    ['resolved', 'pulled', 'verified', 'started', 'probed', 'observed', 'done'],
  );
  assert.equal(await read(wire.port), 'v1');
  assert.deepEqual(wire.bugs, []);
});

test('an agent whose state directory is named by a link still knows what runs', onlyLinux, async () => {
  await using wire = await agentWire();
  await mkdir(join(wire.directory, 'real'));
  await symlink('real', join(wire.directory, 'linked'));
  const child = wire.start('linked', { token: await wire.token('operator', { name: 'linked' }) });
  const agentId = await wire.agentId(child);
  const image = buildApp({ version: 'v1' });
  const end = await wire.endOf(await wire.enqueue(agentId, randomUUID(), image, wire.port));
  assert.equal(end.step === 'done' && end.components[0]?.observedDigest, image.digest);
});

// The other failpoints are in the full run.
testReplacementCrash('agent.started');

test('a task whose lease went elsewhere while the agent was down is not resumed', onlyLinux, async (t) => {
  await using wire = await agentWire();
  const first = wire.start('one', { token: await wire.token(), failpoint: 'agent.start' });
  const exited = once(first, 'exit');
  const agentId = await wire.agentId(first);
  const taskId = await wire.enqueue(agentId, randomUUID(), buildApp({ version: 'v1' }), wire.port);
  await exited;
  await wire.clock.advance(31_000);
  const lease = await wire.tasks.lease(caller({ subject: agentId, kind: 'agent' }), {});
  assert.equal(lease && 'task' in lease && lease.task.fence, 2);
  await wire.agentId(wire.start('one'));
  await t.waitFor(async () => assert.deepEqual(await readdir(join(wire.directory, 'one', 'journal')), []), {
    timeout: 10_000,
  });
  assert.deepEqual(await wire.processes('one'), []);
  assert.equal(
    wire.told.filter((agentReports) => agentReports.taskId === taskId && agentReports.report.step === 'started').length,
    0,
  );
});

test('a token of another authority is refused before anything is sent', async () => {
  await using wire = await agentWire();
  const token = await wire.token();
  const other = `${token.slice(0, -43)}${'A'.repeat(43)}`;
  await assert.rejects(wire.agentId(wire.start('one', { token: other })), /does not present the certificate authority/);
  await wire.agentId(wire.start('one', { token }));
});

test('a used token registers nobody else', async () => {
  await using wire = await agentWire();
  const token = await wire.token();
  await wire.agentId(wire.start('one', { token }));
  await assert.rejects(wire.agentId(wire.start('two', { token })), /token was used/);
});

/** Resolves when an agent logs a line that matches. */
const logged = (child: ChildProcess, pattern: RegExp): Promise<void> =>
  new Promise((resolve, reject) => {
    let text = '';
    child.stderr?.on('data', (chunk) => {
      text += String(chunk);
      if (pattern.test(text)) resolve();
    });
    child.once('close', () => reject(new Error(`the agent ended: ${text}`)));
  });

test('an agent renews its certificate once two thirds of it are over, and goes on with the new one', async () => {
  await using wire = await agentWire();
  const first = wire.start('one', { token: await wire.token() });
  const agentId = await wire.agentId(first);
  await wire.stop(first);
  const identity = await openIdentity(join(wire.directory, 'one'));
  const known = await identity.read();
  assert.ok(known);
  await identity.write({ ...known, renewAfter: new Date(Date.now() - 3_600_000).toISOString() });

  const repeated = wire.start('one');
  await logged(repeated, /"certificate.renewed"/);
  const renewed = await identity.read();
  assert.equal(renewed?.agentId, agentId);
  assert.notEqual(renewed?.certificate, known.certificate);
  assert.ok(Date.parse(renewed?.renewAfter ?? '') > Date.now());
  await wire.stop(repeated);
  const started = wire.start('one');
  await wire.agentId(started);
  await wire.land(await wire.enqueue(agentId, randomUUID(), buildApp({ version: 'v1' }), wire.port));
  assert.deepEqual(wire.bugs, []);
});

test('an agent that is revoked is let in by none of its certificates, and its name is free for a new one', async () => {
  await using wire = await agentWire();
  const first = wire.start('one', { token: await wire.token() });
  const id = await wire.agentId(first);
  await wire.stop(first);
  const identity = await openIdentity(join(wire.directory, 'one'));
  const before = (await identity.read()) ?? assert.fail();
  await identity.write({ ...before, renewAfter: new Date(Date.now() - 3_600_000).toISOString() });
  const repeated = wire.start('one');
  await logged(repeated, /"certificate.renewed"/);
  const renewed = (await identity.read()) ?? assert.fail();

  const { version } = await wire.agents.get(people.operator, { id });
  await wire.revocation.revoke(people.operator, { id, expectedVersion: version, reason: 'Lost.' });
  await logged(repeated, /"agent.refused","action":"/);
  await wire.stop(repeated);
  const ask = async (known: Identity, path: string, body: object) => {
    const connection = createConnection(new URL(wire.origin), { ...known, privateKey: identity.privateKey });
    const answer = await connection.post(path, body, new AbortController().signal).catch((error: unknown) => error);
    await connection.close();
    return answer instanceof Fault ? answer.code : answer;
  };
  const csr = await identity.request('one');
  for (const known of [before, renewed])
    assert.equal(await ask(known, paths.renew, { csr }), 'AUTH_AGENT_CERT_INVALID');
  await expire(wire, 'one', id);
  const expired = (await identity.read()) ?? assert.fail();
  assert.equal(await ask(expired, paths.renew, { csr }), 'AUTH_AGENT_CERT_EXPIRED');

  const next = await wire.agentId(wire.start('one', { token: await wire.token(), state: 'two' }));
  assert.notEqual(next, id);
  const states = (await wire.agents.list(people.operator, {})).map(({ name, state }) => [name, state]);
  assert.deepEqual(states.toSorted(), [
    ['one', 'active'],
    ['one', 'revoked'],
  ]);
});

test('an agent whose certificate has run out says in its log what to do', async () => {
  await using wire = await agentWire();
  const first = wire.start('one', { token: await wire.token() });
  const agentId = await wire.agentId(first);
  await wire.stop(first);
  await expire(wire, 'one', agentId);
  await logged(wire.start('one'), /"certificate.expired","action":"Create a registration token /);
});

/** Replaces an agent's certificate by one that expired an hour ago. */
const expire = async (wire: Awaited<ReturnType<typeof agentWire>>, name: string, agentId: string): Promise<void> => {
  const yesterday = createCertificateAuthority({
    ...wire.deps,
    clock: { now: () => new Date(Date.now() - 90_000_000) },
  });
  const identity = await openIdentity(join(wire.directory, name));
  const known = await identity.read();
  assert.ok(known);
  const spiffeId = `spiffe://landfall.test/acme/agent/${agentId}`;
  const { pem } = await yesterday.sign(await identity.request(name), { tenant: 'acme', agentId, spiffeId });
  await identity.write({ ...known, certificate: pem });
  await wire.deps.database.write(toTenantId('acme'), (tx) =>
    tx.run(sql`update orchestrator.agents set certificate_not_after = kernel.now() - interval '1 hour'`),
  );
};

test(
  'an agent whose certificate ran out while it was off comes back with a token, as the agent it was',
  onlyLinux,
  async () => {
    await using wire = await agentWire();
    const first = wire.start('one', { token: await wire.token() });
    const agentId = await wire.agentId(first);
    await wire.land(await wire.enqueue(agentId, randomUUID(), buildApp({ version: 'v1' }), wire.port));
    await wire.stop(first);

    await expire(wire, 'one', agentId);

    const repeated = wire.start('one', { token: await wire.token() });
    assert.equal(await wire.agentId(repeated), agentId);
    const image = buildApp({ version: 'v2' });
    await wire.land(await wire.enqueue(agentId, randomUUID(), image, await freePort()));
    assert.equal(await read(wire.port), 'v1', 'and what it served before is served still');
  },
);
