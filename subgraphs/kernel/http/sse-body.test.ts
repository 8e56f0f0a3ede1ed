import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { sseBody } from './sse-body.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

const read = async (body: AsyncIterable<string>): Promise<string[]> => {
  const chunks: string[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return chunks;
};

test('each event is a chunk of its own, whoever reads and however late', async () => {
  const body = sseBody(async ({ send }) => {
    send({ event: 'a', data: '1' });
    await turn();
    send({ data: '2' });
  });
  assert.deepEqual(await read(body), ['event: a\ndata: 1\n\n', 'data: 2\n\n']);
});

test('a producer can wait until all it sent was handed on', async () => {
  const order: string[] = [];
  const body = sseBody(async ({ send, drained }) => {
    for (const data of ['1', '2', '3']) send({ data });
    await drained();
    order.push('drained');
    send({ data: '4' });
    await drained();
    order.push('again');
  });
  for await (const chunk of body) order.push(chunk.trim());
  assert.deepEqual(order, ['data: 1', 'data: 2', 'data: 3', 'drained', 'data: 4', 'again']);
});

test('a producer that waits for its client goes on when the client has gone', async () => {
  const remaining = new AbortController();
  const ended = Promise.withResolvers<void>();
  const body = sseBody(
    async ({ send, drained }) => {
      send({ data: '1' });
      send({ data: '2' });
      await drained();
      ended.resolve();
    },
    { signal: remaining.signal },
  );
  await body[Symbol.asyncIterator]().next();
  remaining.abort();
  await ended.promise;
});

test('a body that nobody reads is never begun', async () => {
  let started = 0;
  const body = sseBody(async () => {
    started += 1;
  });
  await turn();
  assert.equal(started, 0);
  await read(body);
  assert.equal(started, 1);
});

test('whoever produces learns that the client has gone, while it is waited for', async () => {
  const remaining = new AbortController();
  const events = Promise.withResolvers<void>();
  const body = sseBody(
    async ({ signal, send }) => {
      send({ data: '1' });
      await once(signal, 'abort');
      events.resolve();
      send({ data: 'nobody hears' });
    },
    { signal: remaining.signal },
  );
  const iterator = body[Symbol.asyncIterator]();
  assert.deepEqual(await iterator.next(), { done: false, value: 'data: 1\n\n' });
  const waiting = iterator.next();
  remaining.abort();
  assert.deepEqual(await waiting, { done: true, value: undefined });
  await events.promise;
});

test('leaving the loop ends the production', async () => {
  const finished = Promise.withResolvers<void>();
  const body = sseBody(async ({ signal, send }) => {
    send({ data: '1' });
    signal.addEventListener('abort', () => finished.resolve());
    await finished.promise;
  });
  for await (const _ of body) break;
  await finished.promise;
});

test('a failure breaks the stream off behind what was sent', async () => {
  const body = sseBody(async ({ send }) => {
    send({ data: '1' });
    throw new RangeError('broken');
  });
  const iterator = body[Symbol.asyncIterator]();
  assert.deepEqual(await iterator.next(), { done: false, value: 'data: 1\n\n' });
  await assert.rejects(async () => iterator.next(), RangeError);
});

test('a client that is too far behind is cut off, and whoever produces is told', async () => {
  let wasPublished = false;
  const body = sseBody(
    async ({ send, signal }) => {
      for (let n = 0; n < 100; n++) send({ data: 'x'.repeat(100) });
      wasPublished = signal.aborted;
    },
    { maxBufferedBytes: 1_000 },
  );
  await assert.rejects(read(body), /bytes behind/);
  assert.equal(wasPublished, true);
});

test('a quiet stream is kept open by comments', async () => {
  const finished = Promise.withResolvers<void>();
  const body = sseBody(() => finished.promise, { heartbeatMs: 5 });
  const chunks: string[] = [];
  for await (const chunk of body) {
    chunks.push(chunk);
    if (chunks.length === 2) finished.resolve();
  }
  assert.ok(chunks.length >= 2 && chunks.every((chunk) => chunk === ':\n\n'));
});
