import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { freePort } from '@landfall/agent/testing/free-port';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { testCandidateCrash } from './agent-crash.fixture.ts';
import { agentWire } from './agent-network.fixture.ts';
import { hundred, share, v1, v2 } from './candidate.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

// The other failpoints are in the full run.
testCandidateCrash('agent.shifted');

test('what a process prints while its task is under way is told line by line', onlyLinux, async (t) => {
  await using wire = await agentWire();
  const agentId = await wire.agentId(wire.start('one', { token: await wire.token() }));
  const unhealthy = buildApp({ version: 'sick', health: 'sick' });
  const probe = { path: '/healthz', timeoutMs: 3_000, intervalMs: 20 };
  const taskId = await wire.enqueue(agentId, randomUUID(), unhealthy, wire.port, { probe });
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
