import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '@landfall/kernel/core/clock';
import type { Task } from '../protocol/messages.ts';
import { createJournal } from '../state/journal.ts';
import { createKeyedLock } from '../targets/keyed-lock.ts';
import { createTaskRunner } from './task-runner.ts';

const leaseMs = 30_000;
const digest = `sha256:${'a'.repeat(64)}` as const;

const task = (fence: number, taskId: string): Task => ({
  taskId,
  fence,
  targetId: randomUUID(),
  action: 'apply',
  driver: 'process',
  components: [{ name: 'web', repository: 'registry.example/web', digest, platforms: {}, port: 8_080 }],
  traffic: { weight: 100, retire: true },
  place: null,
  spec: { env: {}, agentSecrets: {}, stopTimeoutMs: 0 },
  probe: { path: '/', timeoutMs: 1_000, intervalMs: 10 },
  secrets: null,
  deadline: new Date(Date.now() + 60_000).toISOString(),
});

test('a beat that left before a task was leased again does not stop it', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'landfall-work-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const journal = createJournal(directory);
  await journal.open();
  const stopped: number[] = [];
  const closing = new AbortController();
  const work = createTaskRunner({
    apply: async ({ fence }, { signal }) => {
      if (!signal.aborted) await once(signal, 'abort');
      stopped.push(fence);
      return { step: 'failed', during: 'pulled', code: 'AGT_TASK_FAILED', errorClass: 'lease-lost', raw: '', log: '' };
    },
    journal,
    targets: createKeyedLock(),
    send: async () => undefined,
    sendLog: async () => undefined,
    clock: systemClock,
    onIdle: async () => undefined,
    log: () => undefined,
    closing: closing.signal,
  });
  const now = new Date().toISOString();
  const taskId = randomUUID();
  work.accept({ now, leaseMs, task: task(1, taskId) }, performance.now());
  const claimed = work.leases();
  work.accept({ now, leaseMs, task: task(2, taskId) }, performance.now());
  const beat = { now, renewAfter: now, heartbeatMs: 10_000, leaseMs };
  await work.renew({ ...beat, cancel: [taskId], leases: [] }, claimed, performance.now());
  await t.waitFor(() => assert.deepEqual(work.leases(), [{ taskId, fence: 2 }]));
  assert.deepEqual(stopped, [1]);
  await work.renew({ ...beat, cancel: [taskId], leases: [] }, work.leases(), performance.now());
  await work.drained();
  assert.deepEqual(stopped, [1, 2]);
});

test('a task ends by the deadline that the last beat told, not by the one it came with', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const directory = await mkdtemp(join(tmpdir(), 'landfall-work-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const journal = createJournal(directory);
  await journal.open();
  const ends: unknown[] = [];
  const work = createTaskRunner({
    apply: async (_task, { signal }) => {
      if (!signal.aborted) await once(signal, 'abort');
      ends.push(signal.reason);
      return { step: 'failed', during: 'pulled', code: 'AGT_TASK_FAILED', errorClass: 'lease-lost', raw: '', log: '' };
    },
    journal,
    targets: createKeyedLock(),
    send: async () => undefined,
    sendLog: async () => undefined,
    clock: systemClock,
    onIdle: async () => undefined,
    log: () => undefined,
    closing: new AbortController().signal,
  });
  const now = '2026-01-15T09:00:00.000Z';
  const after = (seconds: number): string => new Date(Date.parse(now) + seconds * 1_000).toISOString();
  const taskId = randomUUID();
  work.accept({ now, leaseMs, task: { ...task(1, taskId), deadline: after(60) } }, performance.now());
  const claimed = work.leases();
  const beat = { now, renewAfter: now, heartbeatMs: 10_000, leaseMs, cancel: [] };
  const renew = (deadline?: string) =>
    work.renew({ ...beat, leases: [{ taskId, fence: 1, ...(deadline && { deadline }) }] }, claimed, 0);
  await renew(after(120));
  // A server that does not send it leaves it unchanged.
  await renew();
  t.mock.timers.tick(119_000);
  assert.deepEqual([ends, work.count()], [[], 1]);
  t.mock.timers.tick(1_000);
  await work.drained();
  assert.match(String(ends[0]), new RegExp(`the deadline ${after(120)} has passed`));
});
