import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Bearer, bearer } from './testing/people.ts';
import { modes, type Product, startProduct } from './testing/start.ts';

const BOTH = 'Bearer realm="landfall", DPoP algs="ES256 ES384 EdDSA Ed25519 PS256 RS256"';
const RELEASES = '/api/v1/release-orchestrator/releases';

for (const mode of modes) {
  describe(mode, () => {
    let product: Product;
    let operator: Bearer;
    let puller: Bearer;

    before(async () => {
      product = await startProduct(mode);
      operator = await bearer(product, 'acme');
      puller = await bearer(product, 'acme', ['registry.token.issue']);
    });
    after(() => product[Symbol.asyncDispose]());

    const send = async (
      method: string,
      path: string,
      headers: Readonly<Record<string, string>> = {},
      body?: string,
    ) => {
      const answer = await fetch(product.baseUrl + path, { method, headers, ...(body !== undefined && { body }) });
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    };

    test('the realm issues nothing to a HEAD, and says which methods it takes', async () => {
      const query = '/token?service=registry.example';
      assert.equal((await send('GET', query, puller.headers)).status, 200);
      for (const method of ['HEAD', 'PUT', 'PATCH', 'DELETE']) {
        const { status, headers, text } = await send(method, query, puller.headers);
        assert.deepEqual([status, headers.get('allow')], [405, 'GET, OPTIONS, POST'], method);
        assert.equal(headers.get('www-authenticate'), null, 'no credentials would help');
        if (method !== 'HEAD')
          assert.deepEqual([JSON.parse(text).status, JSON.parse(text).error], [405, 'invalid_request']);
      }
      const options = await send('OPTIONS', '/token');
      assert.deepEqual([options.status, options.headers.get('allow')], [204, 'GET, OPTIONS, POST']);
    });

    test('a refused caller is challenged on REST, graph and the feed of changes', async () => {
      const graph = { 'content-type': 'application/json' };
      const asks = (headers: Readonly<Record<string, string>>) => [
        send('GET', RELEASES, headers),
        send('POST', '/graphql', { ...graph, ...headers }, JSON.stringify({ query: '{ __typename }' })),
        send('GET', '/changes', headers),
        send('GET', '/scim/v2/Users', headers),
        send('GET', '/v1/advisory-ai/search/history', headers),
      ];
      for (const { status, headers } of await Promise.all(asks({})))
        assert.deepEqual([status, headers.get('www-authenticate')], [401, BOTH]);
      for (const { status, headers } of await Promise.all(asks({ authorization: 'Bearer nothing' })))
        assert.deepEqual(
          [status, headers.get('www-authenticate')],
          [401, 'Bearer realm="landfall", error="invalid_token", error_description="The token is not a signed JWT."'],
        );
      const denied = await send('GET', RELEASES, puller.headers);
      assert.equal(denied.status, 403);
      assert.match(
        denied.headers.get('www-authenticate') ?? '',
        /^Bearer realm="landfall", error="insufficient_scope", .*scope="/,
      );
      assert.equal((await send('GET', RELEASES, operator.headers)).headers.get('www-authenticate'), null);
    });
  });
}
