import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { Agent } from 'undici';
import { freePort } from '../testing/free-port.ts';
import { mayOwnPort } from './port-owner.ts';
import { createPortChooser } from './ports.ts';
import { probe } from './probe.ts';
import { type ProcessRef, processReferenceOf } from './process-reference.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };
const unknownCaller = { variable: 'LANDFALL_TEST_RUN', value: 'nobody' };

const server = `require('node:http').createServer((_, answer) => answer.end('well')).listen(Number(process.argv[1]), process.argv[2], () => console.log('listening'))`;
const idle = `console.log('idle'); setInterval(() => {}, 1000)`;
/** Source of a program that starts a server as a child process and does nothing else. */
const parent = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(server)}, ...process.argv.slice(1)], { stdio: 'inherit' })`;

/** Starts a program and waits for its first output. */
const running = async (program: string, args: readonly (string | number)[] = [], env: Record<string, string> = {}) => {
  const child: ChildProcess = spawn(process.execPath, ['-e', program, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
    detached: true,
  });
  if (child.stdout) await once(child.stdout, 'data');
  const ref: ProcessRef = await processReferenceOf(child.pid ?? assert.fail());
  return { ref, [Symbol.dispose]: () => void process.kill(-ref.pid, 'SIGKILL') };
};

for (const host of ['127.0.0.1', '0.0.0.0', '::'])
  test(`a process that listens on ${host} may answer, and no other may`, onlyLinux, async () => {
    const port = await freePort();
    using other = await running(idle);
    assert.equal(await mayOwnPort(other.ref, port, unknownCaller), true, 'nobody listens');
    using listening = await running(server, [port, host]);
    assert.equal(await mayOwnPort(listening.ref, port, unknownCaller), true);
    assert.equal(await mayOwnPort(other.ref, port, unknownCaller), false);
  });

test('what a process started answers for it, whether it is its child or only bears its mark', onlyLinux, async () => {
  const port = await freePort();
  using started = await running(parent, [port, '127.0.0.1']);
  assert.equal(await mayOwnPort(started.ref, port, unknownCaller), true);
  const another = await freePort();
  using _orphan = await running(server, [another, '127.0.0.1'], { LANDFALL_TEST_RUN: 'marked' });
  using other = await running(idle);
  assert.equal(await mayOwnPort(other.ref, another, { variable: 'LANDFALL_TEST_RUN', value: 'marked' }), true);
  assert.equal(await mayOwnPort(other.ref, another, unknownCaller), false);
});

test('a process that is gone answers nothing that somebody else answers', onlyLinux, async () => {
  const port = await freePort();
  using _listening = await running(server, [port, '127.0.0.1']);
  assert.equal(await mayOwnPort({ pid: 2 ** 22 + 1, startedAt: '0' }, port, unknownCaller), false);
});

test('a probe that somebody else answers is not green', onlyLinux, async (t) => {
  await using other = createServer((_, answer) => answer.end('well')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  assert(typeof address === 'object' && address);
  const { port } = address;
  using own = await running(idle);
  const dispatcher = new Agent();
  t.after(() => dispatcher.destroy());
  const asking = probe(dispatcher, {
    port,
    probe: { path: '/healthz', intervalMs: 20, timeoutMs: 30_000 },
    // It finds its port taken, and ends.
    isAlive: async () => false,
    mayOwnPort: () => mayOwnPort(own.ref, port, unknownCaller),
    monotonicMs: () => performance.now(),
    signal: new AbortController().signal,
  });
  await assert.rejects(asking, /the process ended before it was healthy \(another process answers on port \d+\)/);
});

test('who cannot be told to be alive is asked until the time is over, and not taken for dead', onlyLinux, async (t) => {
  const dispatcher = new Agent();
  t.after(() => dispatcher.destroy());
  let asked = 0;
  const asking = probe(dispatcher, {
    port: await freePort(),
    probe: { path: '/healthz', intervalMs: 5, timeoutMs: 10_000 },
    isAlive: async () => {
      asked++;
      return null;
    },
    mayOwnPort: async () => true,
    monotonicMs: () => asked * 5_000,
    signal: new AbortController().signal,
  });
  await assert.rejects(asking, /ECONNREFUSED.* after 10000 ms/);
  assert.equal(asked, 2);
});

test('ports are chosen above those that the system hands out, one after the other, and none that is taken', async () => {
  const choose = createPortChooser();
  const first = await choose();
  const ports = [first, await choose(), await choose()];
  assert.equal(new Set(ports).size, 3);
  for (const port of ports) assert(port >= 61_000 && port < 65_536);
  const last = ports[2] ?? 0;
  const next = last === 65_535 ? 61_000 : last + 1;
  await using listener = createServer().listen(next, '127.0.0.1');
  await Promise.race([once(listener, 'listening'), once(listener, 'error')]).catch(() => undefined);
  assert.notEqual(await choose(), next);
});
