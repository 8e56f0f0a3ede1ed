import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { test } from 'node:test';
import { type Change, readFeed } from './feed.ts';

async function serve(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return {
    url: `http://127.0.0.1:${address.port}/changes`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const silent = { opened: () => {}, seen: () => {}, changed: () => {}, behind: () => {} };
const running = () => new AbortController().signal;

test('the feed asks for what came after the last event and tells each change, and where it is', async () => {
  let requestedUrl: string | undefined;
  await using server = await serve((request, answer) => {
    requestedUrl = String(request.headers['last-event-id']);
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    answer.write('event: ready\nid: 12-2\ndata: {}\n\n');
    answer.end('id: 12-3\ndata: {"type":"Release","id":"r1","version":4}\n\ndata: not json\n\n');
  });
  const changes: Change[] = [];
  const received: string[] = [];
  let opened = 0;
  const known = await readFeed(server.url, '12-1', running(), {
    opened: () => opened++,
    seen: (eventId) => received.push(eventId),
    changed: (change) => changes.push(change),
    behind: () => assert.fail('behind'),
  });
  assert.equal(known, true);
  assert.equal(requestedUrl, '12-1');
  assert.equal(opened, 1);
  assert.deepEqual(received, ['12-2', '12-3', '12-3']);
  assert.deepEqual(changes, [{ type: 'Release', id: 'r1', version: 4 }]);
});

test('an event id that the server does not know cannot be resumed', async () => {
  await using server = await serve((_, answer) => answer.writeHead(400).end());
  assert.equal(await readFeed(server.url, 'of another feed', running(), silent), false);
});

test('a refusal is an error, so that the page says it is stale', async () => {
  await using server = await serve((_, answer) => answer.writeHead(503).end());
  const opened = () => assert.fail('opened');
  await assert.rejects(readFeed(server.url, undefined, running(), { ...silent, opened }), /503/);
});

test('the signal ends the reading', async () => {
  const stop = new AbortController();
  await using server = await serve((_, answer) => void answer.writeHead(200).write(': beat\n\n'));
  const reading = readFeed(server.url, undefined, stop.signal, { ...silent, opened: () => stop.abort() });
  await assert.rejects(reading, { name: 'AbortError' });
});

test('a server that is behind says by how much, and when it has caught up', async () => {
  await using server = await serve((_, answer) => {
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    answer.write('event: behind\ndata: {"seconds":126}\n\nevent: behind\ndata: {"seconds":0}\n\n');
    answer.end('event: behind\ndata: nonsense\n\n');
  });
  const received: number[] = [];
  await readFeed(server.url, undefined, running(), { ...silent, behind: (seconds) => received.push(seconds) });
  assert.deepEqual(received, [126, 0, 0]);
});

test('a line that is silent for too long is broken, before its answer and after', async () => {
  let heartbeatCount = 0;
  await using answering = await serve((_, answer) => {
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    const heartbeatTimer = setInterval(
      () => (++heartbeatCount < 5 ? answer.write(':\n\n') : clearInterval(heartbeatTimer)),
      40,
    );
  });
  const timeoutError = { name: 'TimeoutError' };
  await assert.rejects(readFeed(answering.url, undefined, running(), silent, { deadlineMs: 120 }), timeoutError);
  assert.equal(heartbeatCount, 5);
  await using silentServer = await serve(() => {});
  const opened = () => assert.fail('opened');
  const reading = readFeed(silentServer.url, undefined, running(), { ...silent, opened }, { deadlineMs: 120 });
  await assert.rejects(reading, timeoutError);
});
