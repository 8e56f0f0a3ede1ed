import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { bearer } from '../testing/people.ts';
import { modes, type Product, sharedProduct } from '../testing/start.ts';

/** Sends a mutation of the graph as an operator. */
const mutate = async (product: Product, field: string, type: string, input: object, selection: string) => {
  const { headers } = await bearer(product, 'webhooks');
  const response = await fetch(`${product.baseUrl}/graphql`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      query: `mutation ($input: ${type}!) { ${field}(input: $input) { ${selection} } }`,
      variables: { input },
    }),
  });
  const { data, errors } = JSON.parse(await response.text());
  assert.equal(errors, undefined);
  return data[field];
};

for (const mode of modes)
  test(`${mode}: a signed webhook arrives with the bytes that were signed`, async () => {
    await using product = await sharedProduct(mode);
    const name = `hooked-${randomUUID()}`;
    const { id: productId } = await mutate(product, 'createProduct', 'CreateProductInput', { name }, 'id');
    const input = { productId, component: 'web', repository: 'registry.example/a/web', selection: { tag: 'stable' } };
    const source = { ...input, isEnabled: false };
    const { id, version: expectedVersion } = await mutate(
      product,
      'createReleaseSource',
      'CreateReleaseSourceInput',
      source,
      'id version',
    );
    const { path, secret } = await mutate(
      product,
      'setReleaseSourceWebhook',
      'SetReleaseSourceWebhookInput',
      { id, expectedVersion, isEnabled: true },
      'path secret',
    );
    const body = '{ "repository": "a\\u002fweb",  "docker_url": "quay.io/a/web", "namespace": "a" }';
    const post = async (headers: Record<string, string>, sent: string) => {
      const response = await fetch(`${product.baseUrl}${path}`, { method: 'POST', headers, body: sent });
      return { status: response.status, answer: JSON.parse(await response.text()) };
    };
    const send = async (headers: Record<string, string>) => (await post(headers, body)).status;
    const signature = (key: string) => `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
    const type = { 'content-type': 'application/vnd.docker.distribution.events.v1+json' };
    assert.equal(await send({ ...type, 'x-hub-signature-256': signature(secret) }), 202);
    assert.equal(await send({ ...type, 'x-gitlab-token': secret }), 202);
    assert.equal(await send({ ...type, authorization: `Bearer ${secret}` }), 202);
    assert.equal(await send({ ...type, 'x-hub-signature-256': signature('another') }), 401);
    assert.equal(await send(type), 401);
    const form = String(new URLSearchParams({ payload: body }));
    const formHeaders = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(form).digest('hex')}`,
    };
    assert.deepEqual(await post(formHeaders, form), {
      status: 202,
      answer: { isHastened: false, reason: 'The source is disabled.' },
    });
    const unread = await post({ ...type, authorization: `Bearer ${secret}` }, '[]');
    assert.deepEqual([unread.status, unread.answer.error.code], [400, 'VAL_SCHEMA_MISMATCH']);
  });
