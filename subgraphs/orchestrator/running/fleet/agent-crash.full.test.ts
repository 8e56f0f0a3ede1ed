import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCrashingAgent, testCandidateCrash, testReplacementCrash } from './agent-crash.fixture.ts';
import { agentWire } from './agent-network.fixture.ts';
import { hundred, share, v1, v2 } from './candidate.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

for (const failpoint of ['agent.pull', 'agent.unpack', 'agent.start', 'agent.switched'])
  testReplacementCrash(failpoint);
for (const failpoint of ['agent.pull', 'agent.unpack', 'agent.start', 'agent.started']) testCandidateCrash(failpoint);

test('an agent killed when the candidate has become current comes back to that one alone', onlyLinux, async () => {
  await using wire = await agentWire();
  const { agentId, targetId, died: exited } = await startCrashingAgent(wire, 'agent.switched', true);
  const taskId = await wire.enqueue(agentId, targetId, v2, wire.port, share(100, true));
  assert.deepEqual(await exited, [null, 'SIGKILL']);
  await wire.agentId(wire.start('one'));
  const end = await wire.endOf(taskId);
  assert.equal(end.step === 'done' && end.already, true);
  assert.deepEqual(await hundred(wire.port), { v2: 100 });
  assert.equal((await wire.processes('one')).length, 1);
  assert.deepEqual(wire.bugs, []);
});

test('an agent killed when the candidate is withdrawn comes back to the current release alone', onlyLinux, async () => {
  await using wire = await agentWire();
  const { agentId, targetId, died: exited } = await startCrashingAgent(wire, 'agent.withdrawn', true);
  const taskId = await wire.enqueue(agentId, targetId, v2, wire.port, { action: 'withdraw' });
  assert.deepEqual(await exited, [null, 'SIGKILL']);
  await wire.agentId(wire.start('one'));
  const end = await wire.endOf(taskId);
  assert.equal(end.step === 'done' && end.components[0]?.observedDigest, v1.digest);
  assert.deepEqual(await hundred(wire.port), { v1: 100 });
  assert.equal((await wire.processes('one')).length, 1);
  assert.deepEqual(wire.bugs, []);
});
