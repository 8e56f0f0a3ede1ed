import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bearer } from '../testing/people.ts';
import { modes, type Product, startProduct } from '../testing/start.ts';

const FINDINGS = '/api/v2/security/findings';
const RELEASES = '/api/v1/release-orchestrator/releases';
const SCANS = JSON.stringify({ query: '{ scans { edges { node { id } } } }' });

const bill = JSON.stringify({
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  components: [{ type: 'library', name: 'gate', version: '1.1.0', purl: 'pkg:npm/gate@1.1.0' }],
});

/** Product in each run mode, whose authority is disabled. */
const products: Product[] = [];

before(async () => {
  for (const mode of modes)
    products.push(await startProduct(mode, { LANDFALL_AUTHORITY_ENABLED: 'false', LANDFALL_ANONYMOUS_TENANT: 'shop' }));
});
after(async () => {
  for (const product of products) await product[Symbol.asyncDispose]();
});

const request = async ({ baseUrl }: Product, path: string, init: RequestInit = {}) => {
  const response = await fetch(baseUrl + path, init);
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
};

const scans = (product: Product, headers: Readonly<Record<string, string>> = {}) =>
  request(product, '/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: SCANS,
  });

// spec: 5/authority-disabled, rulings/6
test('everybody may request and read scans, as the anonymous tenant', async () => {
  for (const product of products) {
    const { status, body } = await request(product, '/api/v1/scans', { method: 'POST', body: bill });
    assert.equal(status, 202, product.mode);
    assert.equal((await request(product, body.statusUrl)).body.scanId, body.scanId);
    const own = await bearer(product, 'shop', ['release:read']);
    assert.equal((await request(product, body.statusUrl, { headers: own.headers })).status, 200);
    const other = await bearer(product, 'globex', ['release:read']);
    assert.equal((await request(product, body.statusUrl, { headers: other.headers })).status, 404);
  }
});

test('a caller with a token meets the policies in the graph too, whatever its scopes', async () => {
  for (const product of products) {
    const { headers } = await bearer(product, 'globex', ['release:read']);
    const { body } = await scans(product, headers);
    assert.deepEqual([body.errors, body.data.scans.edges], [undefined, []], product.mode);
  }
});

test('nothing else is open, and a token that is presented must be valid', async () => {
  for (const product of products) {
    for (const path of [FINDINGS, RELEASES]) assert.equal((await request(product, path)).status, 401, path);
    assert.equal((await scans(product)).status, 401);
    const unknown = `/api/v1/scans/${crypto.randomUUID()}`;
    assert.equal((await request(product, unknown)).status, 404);
    const forged = { headers: { authorization: 'Bearer a.b.c' } };
    assert.equal((await request(product, unknown, forged)).status, 401, product.mode);
  }
});
