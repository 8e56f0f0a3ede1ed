import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { type Connection, connectionTo } from './search-connection.ts';

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** Starts a server that handles each request as the test says; `closed` counts the connections it has closed. */
const serverThat = async (serve: (socket: Socket, nth: number) => void) => {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => serve(socket, ++requests));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: new URL(`http://127.0.0.1:${port}`), [Symbol.asyncDispose]: async () => void server.close() };
};

const ask = (connection: Connection): Promise<string> =>
  new Promise((resolve, reject) => {
    connection.send(Buffer.from('GET / HTTP/1.1\r\n\r\n'), {
      whole: (status, body) => resolve(`${status} ${body}`),
      failed: reject,
    });
  });

test('a client connects again where the server closed the connection between two requests', async () => {
  const closed = Promise.withResolvers<void>();
  await using server = await serverThat((socket, nth) => {
    socket.on('close', () => closed.resolve());
    if (nth === 1) socket.end(ANSWER);
    else socket.write(ANSWER);
  });
  const connection = connectionTo(server.url);
  assert.equal(await ask(connection), '200 ok');
  await closed.promise;
  assert.equal(await ask(connection), '200 ok');
  connection.end();
});

test('a client fails where its request is dropped or never answered', async () => {
  await using dropping = await serverThat((socket) => socket.destroy());
  await assert.rejects(ask(connectionTo(dropping.url)), /closed|ECONNRESET/);
  await using silent = await serverThat(() => undefined);
  const connection = connectionTo(silent.url, 50);
  await assert.rejects(ask(connection), /no answer came/);
});
