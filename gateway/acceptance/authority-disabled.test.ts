import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bearer } from '../testing/people.ts';
import { modes, type Product, startProduct } from '../testing/start.ts';

const FINDINGS = '/api/v2/security/findings';
const RELEASES = '/api/v1/release-orchestrator/releases';

const bill = JSON.stringify({
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  components: [{ type: 'library', name: 'gate', version: '1.1.0', purl: 'pkg:npm/gate@1.1.0' }],
});

for (const mode of modes) {
  describe(`authority disabled, ${mode}`, () => {
    let product: Product;
    before(async () => {
      product = await startProduct(mode, { LANDFALL_AUTHORITY_ENABLED: 'false', LANDFALL_ANONYMOUS_TENANT: 'shop' });
    });
    after(() => product[Symbol.asyncDispose]());

    const request = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(product.baseUrl + path, init);
      const text = await response.text();
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
    };

    // spec: 5/authority-disabled, rulings/6
    test('everybody may request and read scans, as the anonymous tenant', async () => {
      const { status, body } = await request('/api/v1/scans', { method: 'POST', body: bill });
      assert.equal(status, 202);
      assert.equal((await request(body.statusUrl)).body.scanId, body.scanId);
      const own = await bearer(product, 'shop', ['release:read']);
      assert.equal((await request(body.statusUrl, { headers: own.headers })).status, 200);
      const other = await bearer(product, 'globex', ['release:read']);
      assert.equal((await request(body.statusUrl, { headers: other.headers })).status, 404);
    });

    test('a caller with a token meets the policies in the graph too, whatever its scopes', async () => {
      const { headers } = await bearer(product, 'globex', ['release:read']);
      const { body } = await request('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query: '{ scans { edges { node { id } } } }' }),
      });
      assert.deepEqual([body.errors, body.data.scans.edges], [undefined, []]);
    });

    test('nothing else is open, and a token that is presented must be valid', async () => {
      for (const path of [FINDINGS, RELEASES]) assert.equal((await request(path)).status, 401, path);
      const query = JSON.stringify({ query: '{ scans { edges { node { id } } } }' });
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: query };
      assert.equal((await request('/graphql', init)).status, 401);
      const unknown = `/api/v1/scans/${crypto.randomUUID()}`;
      assert.equal((await request(unknown)).status, 404);
      assert.equal((await request(unknown, { headers: { authorization: 'Bearer a.b.c' } })).status, 401);
    });
  });
}
