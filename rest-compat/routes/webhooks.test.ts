import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { testApp } from '@landfall/kernel/testing/app';
import { createOrchestrator } from '@landfall/orchestrator';
import { webhookRoutes } from './webhooks.ts';

const start = () =>
  testApp({
    createModule: (deps) =>
      createOrchestrator(deps, {
        platformDomain: 'landfall.example',
        agentUrl: 'https://127.0.0.1:4002',
        deploymentLogDays: 30,
        signingKeys: createSigningKeys(deps),
      }),
    routes: webhookRoutes,
  });

let app: Awaited<ReturnType<typeof start>>;
let path = '';
let secret = '';
before(async () => {
  app = await start();
  const { products, sources } = app.module;
  const operator = app.caller('operator');
  const { id: productId } = await products.create(operator, { name: 'shop' });
  const { id, version: expectedVersion } = await sources.create(operator, {
    productId,
    component: 'web',
    repository: 'registry.example/shop/web',
    selection: { tag: 'stable' },
  });
  const set = await sources.setWebhook(operator, { id, expectedVersion, isEnabled: true });
  [path, secret] = [set.path, set.secret ?? ''];
});
after(() => app[Symbol.asyncDispose]());

const send = async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>, target = path) => {
  const response = await fetch(`${app.origin}${target}`, { method: 'POST', body, headers });
  return { status: response.status, text: await response.text() };
};

// Spaces and an escape that would change if the parsed body were serialised again.
const body = '{ "repository": "shop/w\\u0065b", "docker_url": "quay.io/shop/web",  "namespace": "shop" }';

test('a webhook is taken in any media type, and its signature is over the bytes that were sent', async () => {
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  for (const type of ['application/json', 'application/vnd.docker.distribution.events.v1+json', 'text/plain'])
    assert.deepEqual(await send(body, { 'content-type': type, 'x-hub-signature-256': signature }), {
      status: 202,
      text: '{"isHastened":false,"reason":"The source is polled within 10 seconds anyway."}',
    });
});

test('a proven webhook that cannot be read is refused with the reason', async () => {
  const faultOf = async (sent: string | Uint8Array<ArrayBuffer>) => {
    const { status, text } = await send(sent, { authorization: `Bearer ${secret}` });
    return [status, JSON.parse(text).error.code];
  };
  assert.deepEqual(await faultOf(''), [400, 'VAL_INVALID_JSON']);
  assert.deepEqual(await faultOf(Uint8Array.of(0xff, 0xfe)), [400, 'VAL_INVALID_JSON']);
  assert.deepEqual(await faultOf('[]'), [400, 'VAL_SCHEMA_MISMATCH']);
});

test('a webhook that proves nothing is refused, whatever it asks for', async () => {
  for (const target of [path, `${path}0`, '/api/v1/webhooks/registries/..%2Facme/x']) {
    const { status, text } = await send(body, { authorization: 'Bearer wrong' }, target);
    assert.equal(status, 401);
    assert.equal(JSON.parse(text).error.code, 'AUTH_TOKEN_INVALID');
  }
});

test('a sender beyond its limit is told so with 429', async () => {
  let last = await send('{}', { authorization: 'Bearer wrong' });
  for (let count = 0; count < 61 && last.status === 401; count++)
    last = await send('{}', { authorization: 'Bearer wrong' });
  assert.equal(last.status, 429);
});

test('a body beyond the limit is refused before it is read', async () => {
  const { status } = await send('x'.repeat(300_000), { authorization: `Bearer ${secret}` });
  assert.equal(status, 413);
});
