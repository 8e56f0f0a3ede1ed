import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { createLog, silentLog } from '@landfall/kernel/system/log';
import { drain, type Step } from './drain.ts';

const journal = () => {
  const lines: string[] = [];
  const step = (name: string, work: () => Promise<unknown> = async () => undefined): Step => ({
    name,
    async close() {
      lines.push(`${name} begins`);
      await work();
      lines.push(`${name} ended`);
    },
  });
  return { lines, step };
};

test('phases run one after the other, the steps of one side by side', async () => {
  const { lines, step } = journal();
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const clean = await drain([[step('web', turn), step('agents', turn)], [step('database')]], {
    timeoutMs: 60_000,
    log: silentLog,
  });
  assert.equal(clean, true);
  assert.deepEqual(lines, [
    'web begins',
    'agents begins',
    'web ended',
    'agents ended',
    'database begins',
    'database ended',
  ]);
});

test('a step that fails or hangs is named, and the rest still ends', async () => {
  const { lines, step } = journal();
  const logged: string[] = [];
  const log = createLog({ level: 'info' }, { write: (line) => void logged.push(line) });
  const hangs = step('hangs', () => new Promise(() => undefined));
  const fails = step('fails', () => Promise.reject(new Error('stuck')));
  assert.equal(await drain([[hangs, fails], [step('database')]], { timeoutMs: 20, log }), false);
  assert.equal(lines.includes('database ended'), true);
  assert.match(logged.join(''), /"step":"fails".*stuck/);
  assert.match(logged.join(''), /"step":"hangs"/);
});

test('a drain whose steps all hang ends after twice its limit', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const hangs = (name: string): Step => ({ name, close: () => new Promise(() => undefined) });
  let isClean: boolean | undefined;
  const draining = drain([[hangs('web')], [hangs('tls')], [hangs('database')]], { timeoutMs: 10, log: silentLog });
  void draining.then((outcome) => {
    isClean = outcome;
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  for (let ms = 1; ms < 20; ms++) {
    t.mock.timers.tick(1);
    await turn();
  }
  assert.equal(isClean, undefined);
  t.mock.timers.tick(1);
  assert.equal(await draining, false);
});

test('a step that is listed twice ends once and the drain is not clean', async () => {
  for (const isSamePhase of [true, false]) {
    const { lines, step } = journal();
    const logged: string[] = [];
    const log = createLog({ level: 'info' }, { write: (line) => void logged.push(line) });
    const worker = step('companion');
    const phases = isSamePhase ? [[worker, worker]] : [[worker], [worker]];
    assert.equal(await drain(phases, { timeoutMs: 60_000, log }), false);
    assert.deepEqual(lines, ['companion begins', 'companion ended']);
    assert.match(logged.join(''), /companion.*listed twice/);
  }
});

const child = (stop: string) =>
  spawn(process.execPath, [
    '--input-type=module',
    '--eval',
    `import { drainOnSignal } from ${JSON.stringify(import.meta.resolve('./drain.ts'))};
     setInterval(() => {}, 1000); drainOnSignal(${stop}); console.log('ready');`,
  ]);

test('a signal drains the process, whose exit code says how that went', async () => {
  for (const [stop, code] of [
    ['async () => true', 0],
    ['async () => false', 1],
    ['async () => { throw 1 }', 1],
  ] as const) {
    const process = child(stop);
    await once(process.stdout, 'data');
    process.kill('SIGTERM');
    assert.deepEqual(await once(process, 'exit'), [code, null], stop);
  }
});

test('a second signal does not wait', async () => {
  const process = child(`() => { console.log('draining'); return new Promise(() => {}); }`);
  await once(process.stdout, 'data');
  process.kill('SIGINT');
  await once(process.stdout, 'data');
  process.kill('SIGINT');
  assert.deepEqual(await once(process, 'exit'), [1, null]);
});
