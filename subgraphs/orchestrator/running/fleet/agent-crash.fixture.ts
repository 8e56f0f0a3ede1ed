import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { agentWire } from './agent-network.fixture.ts';
import { hundred, share, v1, v2 } from './candidate.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

/** Defines tests that kill an agent at a failpoint while it replaces the current release. */
export const testReplacementCrash = (failpoint: string): void => {
  test(
    `an agent killed at ${failpoint} comes back to exactly one process, of the gated digest`,
    onlyLinux,
    async () => {
      await using wire = await agentWire();
      const targetId = randomUUID();
      const first = wire.start('one', { token: await wire.token() });
      const agentId = await wire.agentId(first);
      await wire.land(await wire.enqueue(agentId, targetId, buildApp({ version: 'v1' }), wire.port));
      await wire.stop(first);
      assert.equal((await wire.processes('one')).length, 1, 'what runs goes on without its agent');

      const failingAgent = wire.start('one', { failpoint });
      const exited = once(failingAgent, 'exit');
      await wire.agentId(failingAgent);
      const image = buildApp({ version: 'v2' });
      const taskId = await wire.enqueue(agentId, targetId, image, wire.port);
      assert.deepEqual(await exited, [null, 'SIGKILL']);

      await wire.agentId(wire.start('one'));
      const end = await wire.endOf(taskId);
      assert.equal(end.step === 'done' && end.components[0]?.observedDigest, image.digest);
      assert.equal(await (await fetch(`http://127.0.0.1:${wire.port}/`)).text(), 'v2');
      assert.equal((await wire.processes('one')).length, 1);
      assert.equal(wire.told.filter(({ taskId: id, report }) => id === taskId && report.step === 'done').length, 1);
      assert.deepEqual(wire.bugs, []);
    },
  );
};

/** Starts an agent that deploys v1, stops it, and starts one that is killed at `failpoint` instead. */
export const startCrashingAgent = async (
  wire: Awaited<ReturnType<typeof agentWire>>,
  failpoint: string,
  candidateFirst: boolean,
) => {
  const targetId = randomUUID();
  const first = wire.start('one', { token: await wire.token() });
  const agentId = await wire.agentId(first);
  await wire.land(await wire.enqueue(agentId, targetId, v1, wire.port));
  if (candidateFirst) await wire.land(await wire.enqueue(agentId, targetId, v2, wire.port, share(30)));
  await wire.stop(first);
  const child = wire.start('one', { failpoint });
  const exited = once(child, 'exit');
  await wire.agentId(child);
  return { agentId, targetId, died: exited };
};

/** Defines tests that kill an agent at a failpoint while it starts a candidate beside the current release. */
export const testCandidateCrash = (failpoint: string): void => {
  test(
    `an agent killed at ${failpoint} on the way to a candidate comes back to one of each, at the share that was asked`,
    onlyLinux,
    async () => {
      await using wire = await agentWire();
      const { agentId, targetId, died: exited } = await startCrashingAgent(wire, failpoint, false);
      const taskId = await wire.enqueue(agentId, targetId, v2, wire.port, share(30));
      assert.deepEqual(await exited, [null, 'SIGKILL']);
      await wire.agentId(wire.start('one'));
      const end = await wire.endOf(taskId);
      assert.equal(end.step === 'done' && end.components[0]?.observedDigest, v2.digest);
      assert.deepEqual(await hundred(wire.port), { v1: 70, v2: 30 });
      assert.equal((await wire.processes('one')).length, 2);
      assert.equal(wire.told.filter(({ taskId: id, report }) => id === taskId && report.step === 'done').length, 1);
      assert.deepEqual(wire.bugs, []);
    },
  );
};
