import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '@landfall/kernel/core/clock';
import { toTenantId } from '@landfall/kernel/core/ids';
import { createHttpClient } from '@landfall/kernel/http/client';
import { parseSubnets } from '@landfall/kernel/system/address';
import { createConnect } from '@landfall/kernel/system/connect';
import { guarded } from '@landfall/kernel/system/egress';
import { startSink } from '../testing/sink.ts';
import { sendToWebhook } from './webhook-adapter.ts';

/** Policy of an operator who opens loopback to the origins that administrators name. */
const egress = guarded({
  ownPorts: new Set(),
  privateNetworks: parseSubnets('Egress:Private', ['127.0.0.0/8']),
  allowPrivate: false,
});
const http = createHttpClient({ egress });
after(() => http.close());

test('a private address that an administrator entered is reached, one that a person entered is refused', async () => {
  await using sink = await startSink();
  const send = (address: string | null) =>
    sendToWebhook(
      { http, clock: systemClock, connect: createConnect(egress) },
      {
        tenant: toTenantId('acme'),
        type: 'webhook',
        config: { url: `${sink.url}/tenant` },
        credential: undefined,
        secrets: [],
      },
      {
        deliveryId: '0190f3a0-0000-7000-8000-000000000001',
        attempt: 1,
        address,
        unsubscribeUrl: null,
        updates: null,
        subject: null,
        body: '{}',
        textPart: null,
        contentType: 'application/json',
        correlationId: '0190f3a0-0000-7000-8000-000000000002',
        signal: new AbortController().signal,
      },
    );
  assert.equal((await send(null)).kind, 'accepted');
  const refused = await send(`${sink.url}/person`);
  assert.equal(refused.kind === 'failed' && refused.cause, 'egress_refused');
  assert.deepEqual(
    sink.received.map(({ path }) => path),
    ['/tenant'],
  );
});
