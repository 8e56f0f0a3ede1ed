import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openIdentity } from '@landfall/agent/state/identity';
import { freePort } from '@landfall/agent/testing/free-port';
import { caller } from '@landfall/kernel/testing/callers';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { until } from '@landfall/kernel/testing/until';
import { agentWire } from './agent-network.fixture.ts';
import { expire, logged } from './agent-program.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

const read = async (port: number): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })).text();

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

test('a task whose lease went elsewhere while the agent was down is not resumed', onlyLinux, async () => {
  await using wire = await agentWire();
  const first = wire.start('one', { token: await wire.token(), failpoint: 'agent.start' });
  const exited = once(first, 'exit');
  const agentId = await wire.agentId(first);
  const taskId = await wire.enqueue(agentId, randomUUID(), buildApp({ version: 'v1' }), wire.port);
  await exited;
  // A report that the killed agent had sent may still come, and renews its lease.
  const lease = await until(async () => {
    await wire.clock.advance(31_000);
    const leased = await wire.tasks.lease(caller({ subject: agentId, kind: 'agent' }), {});
    return leased && 'task' in leased && leased;
  });
  assert.equal(lease.task.fence, 2);
  await wire.agentId(wire.start('one'));
  await until(async () => (await readdir(join(wire.directory, 'one', 'journal'))).length === 0);
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

test('an agent whose certificate has run out says in its log what to do', async () => {
  await using wire = await agentWire();
  const first = wire.start('one', { token: await wire.token() });
  const agentId = await wire.agentId(first);
  await wire.stop(first);
  await expire(wire, 'one', agentId);
  await logged(wire.start('one'), /"certificate.expired","action":"Create a registration token /);
});

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
