import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { freePort } from '@landfall/agent/testing/free-port';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { agentWire } from './wire.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

const share = (weight: number, retire = false) => ({ traffic: { weight, retire } });

const hundred = async (port: number): Promise<Readonly<Record<string, number>>> => {
  const ask = async (): Promise<string> =>
    (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })).text();
  const answers = await Promise.all(Array.from({ length: 100 }, ask));
  return Object.fromEntries(
    Map.groupBy(answers, (answer) => answer)
      .entries()
      .map(([name, all]) => [name, all.length]),
  );
};

const [v1, v2] = ['v1', 'v2'].map((version) => buildApp({ version }));
assert.ok(v1 && v2);

/** An agent that serves v1, gone, and one that will die at `failpoint` in its place. */
const doomed = async (wire: Awaited<ReturnType<typeof agentWire>>, failpoint: string, candidateFirst: boolean) => {
  const targetId = randomUUID();
  const first = wire.start('one', { token: await wire.token() });
  const agentId = await wire.agentId(first);
  await wire.land(await wire.enqueue(agentId, targetId, v1, wire.port));
  if (candidateFirst) await wire.land(await wire.enqueue(agentId, targetId, v2, wire.port, share(30)));
  await wire.stop(first);
  const child = wire.start('one', { failpoint });
  const died = once(child, 'exit');
  await wire.agentId(child);
  return { agentId, targetId, died };
};

for (const failpoint of ['agent.pull', 'agent.unpack', 'agent.start', 'agent.started', 'agent.shifted'])
  test(
    `an agent killed at ${failpoint} on the way to a candidate comes back to one of each, at the share that was asked`,
    onlyLinux,
    async () => {
      await using wire = await agentWire();
      const { agentId, targetId, died } = await doomed(wire, failpoint, false);
      const taskId = await wire.enqueue(agentId, targetId, v2, wire.port, share(30));
      assert.deepEqual(await died, [null, 'SIGKILL']);
      await wire.agentId(wire.start('one'));
      const end = await wire.endOf(taskId);
      assert.equal(end.step === 'done' && end.components[0]?.observedDigest, v2.digest);
      assert.deepEqual(await hundred(wire.port), { v1: 70, v2: 30 });
      assert.equal((await wire.processes('one')).length, 2);
      assert.equal(wire.told.filter(({ taskId: id, report }) => id === taskId && report.step === 'done').length, 1);
      assert.deepEqual(wire.bugs, []);
    },
  );

test('an agent killed when the candidate has become current comes back to that one alone', onlyLinux, async () => {
  await using wire = await agentWire();
  const { agentId, targetId, died } = await doomed(wire, 'agent.switched', true);
  const taskId = await wire.enqueue(agentId, targetId, v2, wire.port, share(100, true));
  assert.deepEqual(await died, [null, 'SIGKILL']);
  await wire.agentId(wire.start('one'));
  const end = await wire.endOf(taskId);
  assert.equal(end.step === 'done' && end.already, true);
  assert.deepEqual(await hundred(wire.port), { v2: 100 });
  assert.equal((await wire.processes('one')).length, 1);
  assert.deepEqual(wire.bugs, []);
});

test('an agent killed when the candidate is withdrawn comes back to the current release alone', onlyLinux, async () => {
  await using wire = await agentWire();
  const { agentId, targetId, died } = await doomed(wire, 'agent.withdrawn', true);
  const taskId = await wire.enqueue(agentId, targetId, v2, wire.port, { action: 'withdraw' });
  assert.deepEqual(await died, [null, 'SIGKILL']);
  await wire.agentId(wire.start('one'));
  const end = await wire.endOf(taskId);
  assert.equal(end.step === 'done' && end.components[0]?.observedDigest, v1.digest);
  assert.deepEqual(await hundred(wire.port), { v1: 100 });
  assert.equal((await wire.processes('one')).length, 1);
  assert.deepEqual(wire.bugs, []);
});

test('what a process prints while its task is under way is told line by line', onlyLinux, async (t) => {
  await using wire = await agentWire();
  const agentId = await wire.agentId(wire.start('one', { token: await wire.token() }));
  const sick = buildApp({ version: 'sick', health: 'sick' });
  const probe = { path: '/healthz', timeoutMs: 3_000, intervalMs: 20 };
  const taskId = await wire.enqueue(agentId, randomUUID(), sick, wire.port, { probe });
  await t.waitFor(
    () => {
      const lines = wire.logged.filter((message) => message.taskId === taskId).flatMap((message) => message.lines);
      assert.match(lines[0]?.text ?? '', /^version sick on port \d+$/);
      assert.equal(lines[0]?.component, 'web');
    },
    { timeout: 20_000 },
  );
  assert.equal((await wire.endOf(taskId)).step, 'failed');
});

test('what the routers carried is told to Prometheus on the port that was given', onlyLinux, async () => {
  await using wire = await agentWire();
  const port = await freePort();
  const args = ['--metrics-port', String(port)];
  const agentId = await wire.agentId(wire.start('one', { token: await wire.token(), args }));
  const targetId = randomUUID();
  await wire.land(await wire.enqueue(agentId, targetId, v1, wire.port));
  await wire.land(await wire.enqueue(agentId, targetId, v2, wire.port, share(20)));
  await hundred(wire.port);
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const count = (role: string, { digest }: typeof v1): string | undefined =>
    new RegExp(
      `^landfall_agent_requests_total\\{target="${targetId}",component="web",role="${role}",digest="${digest.slice(7, 19)}",code="200"\\} (\\d+)$`,
      'm',
    ).exec(text)?.[1];
  assert.deepEqual([count('current', v1), count('candidate', v2)], ['80', '20']);
});
