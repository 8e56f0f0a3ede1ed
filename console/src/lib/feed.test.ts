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
  let asked: string | undefined;
  await using server = await serve((request, answer) => {
    asked = String(request.headers['last-event-id']);
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    answer.write('event: ready\nid: 12-2\ndata: {}\n\n');
    answer.end('id: 12-3\ndata: {"type":"Release","id":"r1","version":4}\n\ndata: not json\n\n');
  });
  const told: Change[] = [];
  const seen: string[] = [];
  let opened = 0;
  const known = await readFeed(server.url, '12-1', running(), {
    opened: () => opened++,
    seen: (eventId) => seen.push(eventId),
    changed: (change) => told.push(change),
    behind: () => assert.fail('behind'),
  });
  assert.equal(known, true);
  assert.equal(asked, '12-1');
  assert.equal(opened, 1);
  assert.deepEqual(seen, ['12-2', '12-3', '12-3']);
  assert.deepEqual(told, [{ type: 'Release', id: 'r1', version: 4 }]);
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
  const told: number[] = [];
  await readFeed(server.url, undefined, running(), { ...silent, behind: (seconds) => told.push(seconds) });
  assert.deepEqual(told, [126, 0, 0]);
});

test('a line that is silent for too long is broken, before its answer and after', async () => {
  let beats = 0;
  await using answering = await serve((_, answer) => {
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    const beat = setInterval(() => (++beats < 5 ? answer.write(':\n\n') : clearInterval(beat)), 40);
  });
  const isSilent = { name: 'TimeoutError' };
  await assert.rejects(readFeed(answering.url, undefined, running(), silent, { deadlineMs: 120 }), isSilent);
  assert.equal(beats, 5);
  await using mute = await serve(() => {});
  const opened = () => assert.fail('opened');
  const reading = readFeed(mute.url, undefined, running(), { ...silent, opened }, { deadlineMs: 120 });
  await assert.rejects(reading, isSilent);
});
