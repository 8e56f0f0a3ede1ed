import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '@landfall/kernel/core/clock';
import { toTenantId } from '@landfall/kernel/core/ids';
import { createHttpClient } from '@landfall/kernel/http/client';
import { openEgress } from '@landfall/kernel/system/egress';
import { deliveredBy, postMessage } from './http-post.ts';

test('a failure of the network is told in words for people, without those of the runtime', async () => {
  const http = createHttpClient({ egress: openEgress });
  const send = async (url: string) => {
    const { signal } = new AbortController();
    const post = { tenant: toTenantId('acme'), url, headers: {}, body: '{}', correlationId: 'c', signal };
    const outcome = await postMessage({ http, clock: systemClock }, post, (answer) => deliveredBy(answer));
    return outcome.kind === 'failed' ? [outcome.cause, outcome.error] : [];
  };
  await using server = createServer((socket) => socket.on('error', () => undefined).destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = Object(server.address());
  assert.deepEqual(await send('http://127.0.0.1:1/hook'), [
    'network',
    'No connection to the receiver. Nothing listens at the address.',
  ]);
  const closed = 'The receiver closed the connection before it answered.';
  assert.deepEqual(await send(`http://127.0.0.1:${port}/hook`), [
    'network',
    `No connection to the receiver. ${closed}`,
  ]);
  const [, secure = ''] = await send(`https://127.0.0.1:${port}/hook`);
  assert.match(secure, /^No (secure )?connection to the receiver\./);
  await http.close();
});
