import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { agentWire } from './agent-network.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };
const minuteMs = 61_000;

const cableTo = async (origin: string) => {
  const { hostname, port } = new URL(origin);
  const sockets = new Set<Socket>();
  let isCut = false;
  let refused = 0;
  const server = createServer((near) => {
    if (isCut) {
      refused += 1;
      near.destroy();
      return;
    }
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    origin: `https://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    cut(): void {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    refused: () => refused,
    mend(): void {
      isCut = false;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      this.cut();
      server.close();
      await once(server, 'close');
    },
  };
};

const read = async (port: number, path = '/'): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })).text();

test(
  'an agent that cannot reach its server for a minute serves on, and works again when it can',
  onlyLinux,
  async (t) => {
    await using wire = await agentWire();
    await using cable = await cableTo(wire.origin);
    const agentId = await wire.agentId(wire.start('one', { token: await wire.token(), server: cable.origin }));
    const targetId = randomUUID();
    await wire.land(await wire.enqueue(agentId, targetId, buildApp({ version: 'v1' }), wire.port));
    const pid = await read(wire.port, '/pid');
    cable.cut();
    await wire.clock.advance(minuteMs);
    const taskId = await wire.enqueue(agentId, targetId, buildApp({ version: 'v2' }), wire.port);
    assert.equal(await read(wire.port, '/pid'), pid);
    await t.waitFor(() => assert.ok(cable.refused() > 1), { timeout: 20_000 });
    assert.equal(wire.told.filter((agentReports) => agentReports.taskId === taskId).length, 0);
    cable.mend();
    assert.equal((await wire.endOf(taskId)).step, 'done');
    assert.equal(await read(wire.port), 'v2');
    assert.equal((await wire.processes('one')).length, 1);
    assert.deepEqual(wire.bugs, []);
  },
);

test(
  'a task that loses its server half-way touches nothing that serves, and is done once in the end',
  onlyLinux,
  async (t) => {
    await using wire = await agentWire();
    await using cable = await cableTo(wire.origin);
    const agentId = await wire.agentId(wire.start('one', { token: await wire.token(), server: cable.origin }));
    const targetId = randomUUID();
    await wire.land(await wire.enqueue(agentId, targetId, buildApp({ version: 'v1' }), wire.port));
    const slow = wire.registry.fault({ kind: 'trickle', match: '/blobs/', everyMs: 5 });
    const taskId = await wire.enqueue(agentId, targetId, buildApp({ version: 'v2' }), wire.port);
    await t.waitFor(() => assert.ok(wire.told.some((agentReports) => agentReports.taskId === taskId)), {
      timeout: 20_000,
    });
    cable.cut();
    slow[Symbol.dispose]();
    // Its lease expires meanwhile; the next agent to poll gets the task under the next fence.
    await wire.clock.advance(minuteMs);
    await t.waitFor(() => assert.ok(cable.refused() > 1), { timeout: 20_000 });
    assert.equal(await read(wire.port), 'v1');
    assert.ok(!wire.told.some((agentReports) => agentReports.taskId === taskId && agentReports.report.step === 'done'));
    cable.mend();
    assert.equal((await wire.endOf(taskId)).step, 'done');
    assert.equal(await read(wire.port), 'v2');
    assert.equal((await wire.processes('one')).length, 1);
    const ends = wire.told.filter(
      (agentReports) => agentReports.taskId === taskId && agentReports.report.step === 'done',
    );
    assert.equal(ends.length, 1);
    assert.deepEqual(wire.bugs, []);
  },
);

test(
  'an agent killed in the middle of a pull begins it again, and keeps nothing of the broken one',
  onlyLinux,
  async (t) => {
    await using wire = await agentWire();
    const first = wire.start('one', { token: await wire.token() });
    const agentId = await wire.agentId(first);
    const slow = wire.registry.fault({ kind: 'trickle', match: '/blobs/', everyMs: 250 });
    const image = buildApp({ version: 'v1' });
    const taskId = await wire.enqueue(agentId, randomUUID(), image, wire.port);
    const partial = join(wire.directory, 'one', 'partial');
    // The manifest is a partial file too, for a moment and before the first blob is asked for.
    const pulling = async () => {
      assert.ok(wire.registry.requests.some(({ path }) => path.includes('/blobs/')));
      assert.equal((await readdir(partial)).length, 1);
    };
    await t.waitFor(pulling, { timeout: 20_000, interval: 5 });
    await wire.stop(first, 'SIGKILL');
    assert.equal((await readdir(partial)).length, 1);
    slow[Symbol.dispose]();
    await wire.agentId(wire.start('one'));
    const end = await wire.endOf(taskId);
    assert.equal(end.step === 'done' && end.components[0]?.observedDigest, image.digest);
    assert.deepEqual(await readdir(partial), []);
    assert.deepEqual(wire.bugs, []);
  },
);
