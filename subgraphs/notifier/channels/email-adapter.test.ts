import assert from 'node:assert/strict';
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

const send = (port: number, { egress = openEgress, changes = {} }: { egress?: Egress; changes?: object } = {}) =>
  sendToEmail(
    { http, clock: systemClock, connect: createConnect(egress) },
    {
      tenant: toTenantId('acme'),
      type: 'email',
      config: { host: '127.0.0.1', port, security: 'none', from: 'landfall@acme.example', to: ['ana@acme.example'] },
      credential: {},
      secrets: [],
    },
    { ...message, ...changes },
  );

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
