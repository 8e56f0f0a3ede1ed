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
  const left = new AbortController();
  const over = Promise.withResolvers<void>();
  const body = sseBody(
    async ({ send, drained }) => {
      send({ data: '1' });
      send({ data: '2' });
      await drained();
      over.resolve();
    },
    { signal: left.signal },
  );
  await body[Symbol.asyncIterator]().next();
  left.abort();
  await over.promise;
});

test('a body that nobody reads is never begun', async () => {
  let begun = 0;
  const body = sseBody(async () => {
    begun += 1;
  });
  await turn();
  assert.equal(begun, 0);
  await read(body);
  assert.equal(begun, 1);
});

test('whoever produces learns that the client has gone, while it is waited for', async () => {
  const left = new AbortController();
  const told = Promise.withResolvers<void>();
  const body = sseBody(
    async ({ signal, send }) => {
      send({ data: '1' });
      await once(signal, 'abort');
      told.resolve();
      send({ data: 'nobody hears' });
    },
    { signal: left.signal },
  );
  const iterator = body[Symbol.asyncIterator]();
  assert.deepEqual(await iterator.next(), { done: false, value: 'data: 1\n\n' });
  const waiting = iterator.next();
  left.abort();
  assert.deepEqual(await waiting, { done: true, value: undefined });
  await told.promise;
});

test('leaving the loop ends the production', async () => {
  const ended = Promise.withResolvers<void>();
  const body = sseBody(async ({ signal, send }) => {
    send({ data: '1' });
    signal.addEventListener('abort', () => ended.resolve());
    await ended.promise;
  });
  for await (const _ of body) break;
  await ended.promise;
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
  let wasTold = false;
  const body = sseBody(
    async ({ send, signal }) => {
      for (let n = 0; n < 100; n++) send({ data: 'x'.repeat(100) });
      wasTold = signal.aborted;
    },
    { maxBufferedBytes: 1_000 },
  );
  await assert.rejects(read(body), /bytes behind/);
  assert.equal(wasTold, true);
});

test('a quiet stream is kept open by comments', async () => {
  const done = Promise.withResolvers<void>();
  const body = sseBody(() => done.promise, { heartbeatMs: 5 });
  const chunks: string[] = [];
  for await (const chunk of body) {
    chunks.push(chunk);
    if (chunks.length === 2) done.resolve();
  }
  assert.ok(chunks.length >= 2 && chunks.every((chunk) => chunk === ':\n\n'));
});
