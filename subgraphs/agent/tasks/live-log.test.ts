import assert from 'node:assert/strict';
import { appendFile, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createTail } from '../driver/log-tail.ts';
import { MAX_LOG_LINE, MAX_LOG_LINES } from '../protocol/limits.ts';
import type { LogLines } from '../protocol/messages.ts';
import { createLiveLog } from './live-log.ts';

const at = new Date('2026-11-20T10:00:00Z');
const none = { env: {}, registries: {} };

const setUp = async (t: TestContext, send?: (message: LogLines) => Promise<void>) => {
  const directory = await mkdtemp(join(tmpdir(), 'landfall-live-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const sent: LogLines[] = [];
  const closing = new AbortController();
  const log = createLiveLog({
    task: { taskId: 'task', fence: 1 },
    send: async (message) => {
      sent.push(message);
      await send?.(message);
    },
    now: () => at,
    signal: closing.signal,
  });
  return { path: join(directory, 'web.1.log'), sent, log, closing };
};

test('whole lines are sent in their order with the secrets struck, and half a line waits', async (t) => {
  const { path, sent, log } = await setUp(t);
  await writeFile(path, 'one\nthe hunter2\nhalf');
  log.follow({ component: 'web', path, secrets: { env: { PASSWORD: 'hunter2' }, registries: {} } });
  await log.end();
  assert.deepEqual(sent[0], {
    taskId: 'task',
    fence: 1,
    seq: at.getTime() / 1_000 + 1,
    lines: ['one', 'the [secret PASSWORD]'].map((text) => ({ component: 'web', text, at: at.toISOString() })),
    dropped: 0,
  });
});

test('a flood is cut to the newest lines and counted, in bounded messages of bounded lines', async (t) => {
  const { path, sent, log } = await setUp(t);
  const flood = Array.from({ length: 20 * MAX_LOG_LINES }, (_, i) => `${i} ${'x'.repeat(2 * MAX_LOG_LINE)}`);
  await writeFile(path, `${flood.join('\n')}\n`);
  log.follow({ component: 'web', path, secrets: none });
  await log.end();
  assert.equal(sent[0]?.lines.length, MAX_LOG_LINES);
  assert.equal(sent[0]?.dropped, 12 * MAX_LOG_LINES);
  assert.match(sent[0]?.lines[0]?.text ?? '', new RegExp(`^${12 * MAX_LOG_LINES} x`));
  for (const { lines } of sent) for (const { text } of lines) assert.equal(text.length, MAX_LOG_LINE);
});

test('a server that refuses the log is asked once and never again', async (t) => {
  const { path, sent, log } = await setUp(t, () => Promise.reject(new Error('404')));
  await writeFile(path, 'one\n');
  log.follow({ component: 'web', path, secrets: none });
  await log.end();
  assert.equal(sent.length, 1);
});

test('an agent that closes sends nothing more', async (t) => {
  const { path, sent, log, closing } = await setUp(t);
  closing.abort();
  await writeFile(path, 'one\n');
  log.follow({ component: 'web', path, secrets: none });
  await log.end();
  assert.deepEqual(sent, []);
});

test('a log that was emptied is followed from its new beginning, and an endless line is left out', async (t) => {
  const { path } = await setUp(t);
  const tail = createTail(path);
  assert.deepEqual(await tail.read(), { lines: '', skipped: 0 });
  await writeFile(path, 'first of many\n');
  assert.deepEqual(await tail.read(), { lines: 'first of many\n', skipped: 0 });
  await truncate(path);
  await appendFile(path, 'two\n');
  assert.deepEqual(await tail.read(), { lines: 'two\n', skipped: 0 });
  await appendFile(path, 'y'.repeat(300 * 1024));
  assert.deepEqual(await tail.read(), { lines: '', skipped: 1 });
  await appendFile(path, 'still it\nthree\n');
  assert.deepEqual(await tail.read(), { lines: 'three\n', skipped: 0 });
});
