import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { type Destination, unsealed } from '../system/egress.ts';
import { createSocketFactory } from './socket.ts';

const echo = async () => {
  const server = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return { port: address.port, [Symbol.asyncDispose]: async () => void server.close() };
};

test('a socket that the policy allows carries bytes both ways', async () => {
  await using server = await echo();
  const opened = await createSocketFactory(unsealed)({ host: 'localhost', port: server.port });
  assert.ok(opened.kind === 'connected');
  opened.socket.write('ping');
  const [answer] = await once(opened.socket, 'data');
  assert.equal(String(answer), 'ping');
  opened.socket.destroy();
});

test('the policy is asked before anything is resolved, then for each address', async () => {
  await using server = await echo();
  const asked: Destination[] = [];
  const decide = (destination: Destination) => {
    asked.push(destination);
    return destination.address === undefined ? ({ allowed: true } as const) : { allowed: false as const, reason: 'x' };
  };
  const opened = await createSocketFactory({ decide })({ host: 'localhost', port: server.port });
  assert.equal(opened.kind, 'refused-by-policy');
  assert.equal(asked[0]?.address, undefined);
  assert.ok(asked.slice(1).every(({ address }) => address !== undefined) && asked.length > 1);
  const sealed = createSocketFactory({
    decide: () => ({ allowed: false, reason: 'sealed', details: { mode: 'Sealed' } }),
  });
  assert.deepEqual(await sealed({ host: 'localhost', port: server.port }), {
    kind: 'refused-by-policy',
    message: 'sealed',
    details: { mode: 'Sealed' },
  });
});

test('failures say which kind they are', async () => {
  await using server = await echo();
  const dial = createSocketFactory(unsealed);
  assert.equal((await dial({ host: 'no-such-name.invalid', port: 1 })).kind, 'dns');
  assert.equal((await dial({ host: '127.0.0.1', port: server.port, tls: {} })).kind, 'tls');
  const silent = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  assert.ok(address !== null && typeof address === 'object');
  const late = await dial({ host: '127.0.0.1', port: address.port, tls: {}, timeoutMs: 20 });
  assert.equal(late.kind, 'timeout');
  silent.close();
  await once(silent, 'close');
  assert.equal((await dial({ host: '127.0.0.1', port: address.port })).kind, 'connection');
});
