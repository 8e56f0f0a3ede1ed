import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { test } from 'node:test';
import { until } from '../testing/until.ts';
import { encodeEvent, lastEventId, openSse } from './sse.ts';

/** A client and the response that the server would write to it. */
const connection = async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const received = new Promise<ServerResponse>((resolve) => server.once('request', (_, created) => resolve(created)));
  const request = get({ host: '127.0.0.1', port: address.port });
  request.on('error', () => undefined);
  const answered = new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
  return {
    request,
    response: await received,
    async answer(): Promise<IncomingMessage> {
      const answer = await answered;
      answer.on('error', () => undefined);
      return answer.setEncoding('utf8');
    },
    async [Symbol.asyncDispose]() {
      request.destroy();
      server.closeAllConnections();
      await new Promise((finished) => server.close(finished));
    },
  };
};

const _turn = () => new Promise((resolve) => setImmediate(resolve));

const readUntil = async (answer: IncomingMessage, end: string): Promise<string> => {
  let text = '';
  while (!text.includes(end)) {
    const [chunk] = await once(answer, 'data');
    text += chunk;
  }
  return text;
};

test('an event is its fields, with one data field a line', () => {
  assert.equal(
    encodeEvent({ event: 'change', id: '7:1', data: 'a\nb\r\nc' }),
    'event: change\nid: 7:1\ndata: a\ndata: b\ndata: c\n\n',
  );
  assert.equal(encodeEvent({ data: '' }), 'data: \n\n');
  for (const bad of ['a\nb', 'a\rb', 'a\0b']) assert.throws(() => encodeEvent({ id: bad, data: '' }), TypeError);
});

test('a returning client says where it was', () => {
  assert.equal(lastEventId({ 'last-event-id': '7:1' }), '7:1');
  assert.equal(lastEventId({ 'last-event-id': '' }), undefined);
  assert.equal(lastEventId({}), undefined);
});

test('headers and events reach the client while the stream is open', async () => {
  await using pair = await connection();
  const writer = openSse(pair.response);
  const answer = await pair.answer();
  assert.equal(answer.headers['content-type'], 'text/event-stream; charset=utf-8');
  await writer.send({ id: '1', data: 'one' });
  assert.equal(await readUntil(answer, 'one\n\n'), 'retry: 2000\n\nid: 1\ndata: one\n\n');
  writer.close();
  await once(answer.resume(), 'end');
});

test('a quiet stream is kept open by comments', async () => {
  await using pair = await connection();
  openSse(pair.response, { heartbeatMs: 5 });
  const answer = await pair.answer();
  assert.match(await readUntil(answer, ':\n\n:\n\n'), /^retry: 2000\n\n(:\n\n)+$/);
});

test('the signal tells that the client has gone, and sending is then harmless', async () => {
  await using pair = await connection();
  const writer = openSse(pair.response);
  await pair.answer();
  pair.request.destroy();
  await once(writer.signal, 'abort');
  await writer.send({ data: 'nobody hears' });
});

test('a sender waits for a client that reads slowly, and goes on when it reads', async () => {
  await using pair = await connection();
  const writer = openSse(pair.response, { maxBufferedBytes: 64 * 1024 * 1024 });
  const answer = await pair.answer();
  answer.pause();
  let sent = 0;
  const data = 'x'.repeat(64 * 1024);
  const sending = (async () => {
    for (; sent < 400; sent++) await writer.send({ data });
    writer.close();
  })();
  await until(() => pair.response.writableNeedDrain);
  assert.ok(sent < 400, 'the sender was held back');
  answer.resume();
  await sending;
  assert.equal(sent, 400);
});

test('a client that falls too far behind is cut off', async () => {
  await using pair = await connection();
  const writer = openSse(pair.response, { maxBufferedBytes: 1024 * 1024 });
  (await pair.answer()).pause();
  const data = 'x'.repeat(64 * 1024);
  for (let n = 0; n < 400 && !writer.signal.aborted; n++) void writer.send({ data });
  if (!writer.signal.aborted) await once(writer.signal, 'abort');
});
