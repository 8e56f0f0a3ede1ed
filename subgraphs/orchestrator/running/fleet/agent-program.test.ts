import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { paths } from '@landfall/agent/protocol/messages';
import { createConnection } from '@landfall/agent/server/connection';
import { type Identity, openIdentity } from '@landfall/agent/state/identity';
import { Fault } from '@landfall/kernel/core/fault';
import { people } from '@landfall/kernel/testing/callers';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { testReplacementCrash } from './agent-crash.fixture.ts';
import { agentWire } from './agent-network.fixture.ts';
import { expire, logged } from './agent-program.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

test(
  'an agent registers with its token, which nobody else may use, takes a task over mutual TLS and lands it',
  onlyLinux,
  async () => {
    await using wire = await agentWire();
    const token = await wire.token();
    const child = wire.start('one', { token });
    const agentId = await wire.agentId(child);
    const image = buildApp({ version: 'v1' });
    const taskId = await wire.enqueue(agentId, randomUUID(), image, wire.port);
    const end = await wire.endOf(taskId);
    assert.equal(end.step === 'done' && end.components[0]?.observedDigest, image.digest);
    assert.deepEqual(
      wire.told.map(({ report }) => report.step),
      ['resolved', 'pulled', 'verified', 'started', 'probed', 'observed', 'done'],
    );
    assert.equal(await (await fetch(`http://127.0.0.1:${wire.port}/`)).text(), 'v1');
    await assert.rejects(wire.agentId(wire.start('two', { token })), /token was used/);
    assert.deepEqual(wire.bugs, []);
  },
);

// The other failpoints are in the full run.
testReplacementCrash('agent.started');

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
  assert.notEqual(renewed.certificate, before.certificate);
  assert.ok(Date.parse(renewed.renewAfter) > Date.now());

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
