import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createLog, silentLog } from '@landfall/kernel/system/log';
import { until } from '@landfall/kernel/testing/until';
import { chunkOf, numbersOf } from './chunks.fixture.ts';
import type { HangingRequests } from './hanging-thread.fixture.ts';
import { isRecord } from './records.ts';
import { buildBatch } from './search-index.ts';
import type { Columns } from './segment.ts';
import { SnapshotWriter } from './snapshot.ts';
import { Thread, ThreadEnded } from './thread.ts';
import { ThreadedLane } from './threaded-lane.ts';

const query = { tenant: 'acme', text: 'overflow', limit: 5 };

test('when a thread dies the lane is cold until another has everything; what was asked of the dead one fails', async () => {
  await using lane = new ThreadedLane({ directory: undefined, log: silentLog });
  const change = (number: number) => ({ kind: 'put' as const, chunk: chunkOf(number, { title: 'heap overflow' }) });
  await lane.apply([1, 2, 3].map(change), '1-3');
  await lane.apply([{ kind: 'remove', number: 2 }], '1-4');
  lane.warm();
  const results = lane.search(query);
  const exited = lane.abandon();
  await assert.rejects(results, ThreadEnded);
  await exited;
  assert.equal(lane.state().state, 'cold');
  await lane.apply([change(4)], '1-5');
  await until(() => lane.state().state !== 'cold');
  assert.deepEqual(numbersOf(await lane.search(query)), [1, 3, 4]);
  assert.equal(lane.state().chunks, 3);
  await lane.apply(
    Array.from({ length: 100 }, (_, i) => change(i + 10)),
    '2-1',
  );
  assert.equal(lane.state().chunks, 103);
});

test('a thread that works on one request for longer than it may is ended, and who waits is told', async () => {
  const finished = Promise.withResolvers<Error>();
  const thread = new Thread<HangingRequests>(
    new URL('./hanging-thread.fixture.ts', import.meta.url),
    finished.resolve,
    {
      spin: 100,
      echo: 100,
    },
  );
  // A request that waits behind others has its own time limit; one without a limit waits for ever.
  const work = thread.ask('work', 300);
  assert.deepEqual(await Promise.all([work, thread.ask('echo', 'a'), thread.ask('echo', 'b')]), [null, 'a', 'b']);
  const [spin, echo] = [thread.ask('spin', null), thread.ask('echo', 'c')];
  await Promise.all([assert.rejects(spin, ThreadEnded), assert.rejects(echo, ThreadEnded)]);
  const { cause } = await finished.promise;
  assert.match(String(cause), /worked on one spin for more than 100 ms/);
});

/** A directory with a snapshot of acme's segment, changed by `damage`, and another tenant's. */
const damaged = async (damage: (columns: Columns) => void) => {
  const directory = await mkdtemp(join(tmpdir(), 'lane-'));
  const put = (number: number, tenant: string) => ({
    kind: 'put' as const,
    chunk: chunkOf(number, { tenant, title: 'heap overflow' }),
  });
  const { segments } = buildBatch([put(1, 'acme'), put(2, 'other')]);
  for (const { tenant, columns } of segments) if (tenant === 'acme') damage(columns);
  const written = segments.map(({ buffer }, id) => ({ id, buffer, removed: new Uint8Array(1) }));
  new SnapshotWriter().write(directory, '1-2', written);
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) };
};

test('a search that goes astray ends its thread: the lane is cold, refuses searches, and comes back whole', async () => {
  // A snapshot with correct checksums whose postings take hours to read.
  await using at = await damaged(({ postingOffsets }) =>
    postingOffsets.set(postingOffsets.map((_, term) => term * 2 ** 30)),
  );
  await using lane = new ThreadedLane({ ...at, log: silentLog, searchMs: 1_000 });
  await lane.open();
  lane.warm();
  const [corruptSearch, later] = [lane.search({ ...query, isExhaustive: true }), lane.search(query)];
  await Promise.all([assert.rejects(corruptSearch, ThreadEnded), assert.rejects(later, ThreadEnded)]);
  assert.equal(lane.state().state, 'cold');
  await assert.rejects(lane.search({ ...query, tenant: 'other' }), ThreadEnded);
  await until(() => lane.state().state !== 'cold');
  assert.deepEqual(numbersOf(await lane.search({ ...query, tenant: 'other' })), [2]);
});

test('chains that turn back on themselves end', async () => {
  await using at = await damaged(({ numberHeads, numberNext, entityHeads, entityNext, termPlaces }) => {
    for (const chain of [numberHeads, numberNext, entityHeads, entityNext]) chain.fill(1);
    for (let offset = 0; offset < termPlaces.length; offset++) termPlaces[offset] ||= 1;
  });
  await using lane = new ThreadedLane({ ...at, log: silentLog, searchMs: 60_000 });
  await lane.open();
  assert.deepEqual(numbersOf(await lane.search({ ...query, text: 'overflow unheard' })), [1]);
  await lane.apply(
    [
      { kind: 'remove', number: 1 },
      { kind: 'remove', number: 2 },
    ],
    '2-1',
  );
  assert.equal(lane.state().chunks, 0);
});

/** The first segment's memory, of a request to restore. */
const bufferOf = (message: unknown): SharedArrayBuffer | undefined => {
  const requestId: unknown = isRecord(message) && message.name === 'restore' ? message.ask : undefined;
  const first: unknown = Array.isArray(requestId) ? requestId[0] : undefined;
  return isRecord(first) && first.buffer instanceof SharedArrayBuffer ? first.buffer : undefined;
};

test('a thread that lives and cannot be restored answers nobody: another follows it until one can', async () => {
  await using at = await damaged(() => {});
  const sent = mock.method(Worker.prototype, 'postMessage');
  const lines: string[] = [];
  const refused = () => lines.filter((line) => line.includes('not restored')).length;
  const log = createLog({ level: 'error' }, { write: (line) => void lines.push(line) });
  await using lane = new ThreadedLane({ ...at, log });
  await lane.open();
  lane.warm();
  const buffer = sent.mock.calls.map(({ arguments: [message] }) => bufferOf(message)).find((one) => one !== undefined);
  sent.mock.restore();
  assert.ok(buffer);
  const header = new Uint32Array(buffer, 0, 1);
  const [magic = 0] = header;
  header[0] = 0;
  await lane.abandon();
  await assert.rejects(lane.search(query), ThreadEnded);
  const applied = lane.apply([{ kind: 'remove', number: 2 }], '2-1');
  await until(() => refused() >= 2);
  await assert.rejects(lane.search(query), ThreadEnded);
  assert.equal(lane.state().state, 'cold');
  header[0] = magic;
  await applied;
  assert.equal(lane.state().state, 'ready');
  assert.deepEqual(numbersOf(await lane.search(query)), [1]);
});
