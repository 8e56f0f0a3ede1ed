import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { parseEnvelope } from '@landfall/kernel/crypto/dsse';
import { people } from '@landfall/kernel/testing/callers';
import { scannerApp } from '@landfall/scanner/testing/scanner-app';
import { scannerProofRoutes } from './scanner-proofs.ts';

const as = 'scan-operator';
const proofApp = () => scannerApp({ routes: scannerProofRoutes });

const get = (origin: string, path: string, accept: string) =>
  fetch(origin + path, { headers: { accept, 'x-test-person': 'scan-reader' } });

// spec: 2.4/manifest-fields, 2.4/manifest-stored-fields, 4.3/manifest
test('a manifest has the hashes of its inputs, and the digest of the document that bundles contain', async () => {
  await using app = await proofApp();
  const scanId = await app.frozenScan();
  const { status, body } = await app.rest('GET', `/api/v1/scans/${scanId}/manifest`, { as: 'scan-reader' });
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body), [
    'scanId',
    'manifestHash',
    'manifestDigest',
    'sbomHash',
    'rulesHash',
    'feedHash',
    'policyHash',
    'deterministic',
    'createdAtUtc',
    'scannerVersion',
    'inputs',
  ]);
  assert.equal(body.sbomHash, sha256('sbom'));
  assert.equal(body.createdAtUtc, app.deps.clock.now().toISOString().replace('.000', ''));
  const { manifestHash, manifestDigest } = await app.module.replays.replay(people[as], { scanId });
  assert.deepEqual([body.manifestHash, body.manifestDigest], [manifestHash, manifestDigest]);
});

// spec: 4.3/manifest-dsse
test('a manifest is answered as its envelope to whoever accepts that type', async () => {
  await using app = await proofApp();
  const path = `/api/v1/scans/${await app.frozenScan()}/manifest`;
  const { manifestDigest } = (await app.rest('GET', path, { as })).body;
  const accepts = ['application/dsse+json', 'text/html, Application/DSSE+json;q=0.5, */*'];
  for (const accept of accepts) {
    const response = await get(app.origin, path, accept);
    assert.equal(response.headers.get('content-type'), 'application/dsse+json');
    assert.equal(response.headers.get('vary'), 'accept');
    const { envelope } = JSON.parse(await response.text());
    assert.deepEqual(Object.keys(envelope), ['payload', 'payloadType', 'signatures']);
    assert.equal(sha256(parseEnvelope(envelope).payload), manifestDigest);
  }
  for (const accept of ['*/*', 'application/json', 'application/dsse+json;q=0'])
    assert.match((await get(app.origin, path, accept)).headers.get('content-type') ?? '', /^application\/json/);
});

// spec: 2.4/proof-metadata, 4.3/proofs, 4.3/proof
test('proof bundles are listed, and each is found by its root', async () => {
  await using app = await proofApp();
  const scanId = await app.frozenScan();
  const path = `/api/v1/scans/${scanId}/proofs`;
  assert.deepEqual((await app.rest('GET', path, { as })).body, { items: [] });
  const { rootHash, bundleHash, replayedAt } = await app.module.replays.replay(people[as], { scanId });
  await app.module.replays.replay(people[as], { scanId });
  const proof = { rootHash, bundleType: 'score', bundleHash, createdAt: replayedAt.toISOString() };
  assert.deepEqual((await app.rest('GET', path, { as })).body, { items: [proof] });
  assert.deepEqual((await app.rest('GET', `${path}/${rootHash}`, { as: 'scan-reader' })).body, proof);
});

// spec: 7.3/non-guid-scan
test('an id that is no GUID, a root that is no digest and another tenant’s scan are not found', async () => {
  await using app = await proofApp();
  const scanId = await app.frozenScan();
  const { rootHash } = await app.module.replays.replay(people[as], { scanId });
  const statusOf = async (path: string, person: 'scan-operator' | 'other-scan-operator' = as) => {
    const { status, body } = await app.rest('GET', `/api/v1/scans/${path}`, { as: person });
    return [status, body.code];
  };
  const unknown = [
    'x/manifest',
    'x/proofs',
    `x/proofs/${rootHash}`,
    `${scanId}/proofs/x`,
    `${scanId}/proofs/${sha256('')}`,
  ];
  for (const path of unknown) assert.deepEqual(await statusOf(path), [404, 'RES_NOT_FOUND'], path);
  for (const path of ['manifest', 'proofs', `proofs/${rootHash}`])
    assert.deepEqual(await statusOf(`${scanId}/${path}`, 'other-scan-operator'), [404, 'RES_NOT_FOUND'], path);
});

test('a caller without the scope is refused before its id is looked at', async () => {
  await using app = await proofApp();
  assert.equal((await app.rest('GET', '/api/v1/scans/x/manifest', { as: 'operator' })).status, 403);
});

// spec: 4.3/absent
test('there is no route that sends the ZIP or verifies a proof by itself', async () => {
  await using app = await proofApp();
  const path = `/api/v1/scans/${await app.frozenScan()}/proofs/${sha256('')}`;
  assert.equal((await app.rest('GET', `${path}/download`, { as })).status, 404);
  assert.equal((await app.rest('POST', `${path}/verify`, { as, body: {} })).status, 404);
});
