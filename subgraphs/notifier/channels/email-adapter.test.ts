import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { systemClock } from '@landfall/kernel/core/clock';
import { toTenantId } from '@landfall/kernel/core/ids';
import { createHttpClient } from '@landfall/kernel/http/client';
import { createConnect } from '@landfall/kernel/system/connect';
import { type Egress, openEgress } from '@landfall/kernel/system/egress';
import { startMailServer } from '../testing/mail-server.ts';
import { sendToEmail } from './email-adapter.ts';

const http = createHttpClient({ egress: openEgress });
after(() => http.close());

const message = {
  deliveryId: '0190f3a0-0000-7000-8000-000000000001',
  attempt: 1,
  address: null,
  unsubscribeUrl: null,
  updates: null,
  subject: 'Deployed: shop 1.4.2',
  body: '<p>It <b>runs</b>.</p>',
  textPart: 'It runs.',
  contentType: 'text/html; charset=utf-8',
  correlationId: '0190f3a0-0000-7000-8000-000000000002',
  signal: new AbortController().signal,
};

const send = (
  port: number,
  {
    egress = openEgress,
    changes = {},
    to = ['ana@acme.example'],
  }: { egress?: Egress; changes?: object; to?: string[] } = {},
) =>
  sendToEmail(
    { http, clock: systemClock, connect: createConnect(egress) },
    {
      tenant: toTenantId('acme'),
      type: 'email',
      config: { host: '127.0.0.1', port, security: 'none', from: 'landfall@acme.example', to },
      credential: {},
      secrets: [],
    },
    { ...message, ...changes },
  );

// First, as its clock would keep the timers of the others from being cleared.
test('a session ends after 30 seconds although the server goes on answering, and at once when the process stops', async (t) => {
  const started = Promise.withResolvers<void>();
  let greeted = started;
  await using server = createServer((socket) => {
    socket.on('error', () => undefined).write('220 slow\r\n');
    // One line of many: the answer never ends.
    socket.on('data', () => {
      socket.write('250-slow\r\n');
      greeted.resolve();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = Object(server.address());
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const timedOut = send(port);
  await greeted.promise;
  t.mock.timers.tick(30_000);
  const late = await timedOut;
  assert.deepEqual(late.kind === 'failed' && [late.cause, late.isRetryable], ['timeout', true]);
  greeted = Promise.withResolvers<void>();
  const stopping = new AbortController();
  const stopped = send(port, { changes: { signal: stopping.signal } });
  await greeted.promise;
  stopping.abort();
  assert.equal((await stopped).kind, 'failed');
});

test('a mail has both parts, its subject and the id of its delivery, and is sent, not yet delivered', async () => {
  await using server = await startMailServer();
  const outcome = await send(server.port);
  assert.deepEqual([outcome.kind, outcome.kind === 'accepted' && outcome.state], ['accepted', 'sent']);
  const [mail] = server.mails;
  assert.ok(mail);
  assert.deepEqual(
    [mail.subject, mail.html, mail.text?.trim(), mail.messageId],
    [message.subject, message.body, message.textPart, `<${message.deliveryId}@landfall.invalid>`],
  );
  assert.equal(mail.headers.get('x-svc-correlation-id'), message.correlationId);
});

test('a subject with a line break makes no header', async () => {
  await using server = await startMailServer();
  await send(server.port, { changes: { subject: 'Hello\r\nBcc: eve@evil.example' } });
  assert.equal(server.mails[0]?.bcc, undefined);
});

test('a reply of 4yz is tried again, one of 5yz is not', async () => {
  for (const [reply, isRetryable] of [
    [450, true],
    [550, false],
  ] as const) {
    await using server = await startMailServer(reply);
    const outcome = await send(server.port);
    assert.deepEqual([outcome.kind, outcome.kind === 'failed' && outcome.isRetryable], ['failed', isRetryable]);
  }
});

test('a server that is not there is tried again, and so is a refusal, which may be a name that is unknown for a moment', async () => {
  const gone = await startMailServer();
  await gone[Symbol.asyncDispose]();
  const absent = await send(gone.port);
  assert.deepEqual(absent.kind === 'failed' && [absent.cause, absent.isRetryable], ['network', true]);
  const closed: Egress = { decide: () => ({ allowed: false, reason: 'It is sealed.' }) };
  const refused = await send(gone.port, { egress: closed });
  assert.deepEqual(refused.kind === 'failed' && [refused.cause, refused.isRetryable], ['egress_refused', true]);
});

test('an address that the server refuses among several is named with the reply to the others', async () => {
  await using server = await startMailServer((address) => (address.startsWith('gone') ? 550 : undefined));
  const to = ['ana@acme.example', 'gone@acme.example'];
  const outcome = await send(server.port, { to });
  assert.match(outcome.excerpt ?? '', /^Refused for gone@acme\.example\. 250/);
});
