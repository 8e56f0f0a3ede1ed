import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { artifactApp, billOf, IMAGE } from '@landfall/artifacts/testing/artifact-app';
import { sha256 } from '@landfall/kernel/crypto/digest';
import type { Person } from '@landfall/kernel/testing/callers';
import { artifactRoutes } from './artifacts.ts';

const PATH = '/api/v1/artifacts';

const startApp = async (env: Readonly<Record<string, string>> = {}) => {
  const app = await artifactApp({ routes: artifactRoutes, env });
  return {
    ...app,
    async send(body: string, query = '', as: Person = 'evidence-operator') {
      const headers = { 'x-test-person': as };
      const response = await fetch(`${app.origin}${PATH}${query}`, { method: 'POST', headers, body });
      return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
    },
  };
};

test('a pipeline puts evidence as a stream, finds it by bom-ref and gets the same bytes', async () => {
  // spec: 4.5/artifacts
  await using app = await startApp();
  const bytes = JSON.stringify(billOf());
  const created = await app.send(bytes);
  assert.equal(created.status, 201);
  assert.equal(created.body.sha256, sha256(bytes));
  assert.equal((await app.send(bytes)).status, 200);

  const listed = await app.rest('GET', `${PATH}?bom_ref=${encodeURIComponent(`pkg:oci/shop@${IMAGE}`)}`, {
    as: 'nobody',
  });
  assert.equal(listed.status, 200, 'any token of the tenant reads the list');
  assert.deepEqual(listed.body, { artifacts: [created.body], continuationToken: null });

  const location = String(created.headers.get('location'));
  assert.deepEqual((await app.rest('GET', location, { as: 'nobody' })).body, created.body);
  const content = await app.rest('GET', `${location}/content`, { as: 'evidence-viewer' });
  assert.equal(content.text, bytes);
  assert.equal((await app.rest('GET', `${location}/content`, { as: 'nobody' })).status, 403);
});

test('a list without bom_ref is 400 and names the parameter: spec: 7.3/bom-ref-required', async () => {
  await using app = await startApp();
  const { status, body } = await app.rest('GET', PATH, { as: 'evidence-viewer' });
  assert.equal(status, 400);
  assert.deepEqual([body.error.code, body.error.validationErrors[0].field], ['VAL_REQUIRED_FIELD', 'bom_ref']);
});

test('a token of the tenant is asked for: spec: 5/artifact-authentication', async () => {
  await using app = await startApp();
  assert.equal((await fetch(`${app.origin}${PATH}?bom_ref=x`)).status, 401);
  const put = await app.send('{}', '?bom_ref=x');
  const other = await app.rest('GET', `${PATH}?bom_ref=x`, { as: 'other-evidence-operator' });
  assert.deepEqual(other.body.artifacts, []);
  const path = `${PATH}/${put.body.artifactId}`;
  for (const each of [path, `${path}/content`])
    assert.equal((await app.rest('GET', each, { as: 'other-evidence-operator' })).status, 404);
});

test('evidence above the limit is refused with 413 and leaves nothing', async () => {
  await using app = await startApp({ ARTIFACTS__MAXBYTES: '10' });
  const { status, body } = await app.send('{"long": "text"}', '?bom_ref=x');
  assert.deepEqual([status, body.error.code], [413, 'VAL_TOO_LONG']);
  assert.deepEqual(await app.files('incoming'), []);
});

test('a compressed body is refused with 415 and the reason, and leaves nothing', async () => {
  await using app = await startApp();
  const body = gzipSync(JSON.stringify(billOf()));
  const send = (coding: string) => {
    const headers = { 'x-test-person': 'evidence-operator', 'content-encoding': coding };
    return fetch(`${app.origin}${PATH}?bom_ref=x`, { method: 'POST', headers, body });
  };
  const refused = await send('gzip');
  const { error } = JSON.parse(await refused.text());
  assert.deepEqual([refused.status, error.code], [415, 'VAL_INVALID_FORMAT']);
  assert.match(error.message, /without Content-Encoding/);
  assert.deepEqual([await app.files('incoming'), await app.files('objects')], [[], []]);
  assert.equal((await send('identity')).status, 201);
});

test('a wrong type or scope is refused by its name, through both doors', async () => {
  await using app = await startApp();
  const refused = await app.send('{}', '?bom_ref=x&artifact_type=Unknown');
  assert.deepEqual(
    [refused.status, refused.body.error.validationErrors[0].field, refused.body.error.code],
    [400, 'artifact_type', 'VAL_INVALID_VALUE'],
  );
  const untrue = (await app.send(JSON.stringify(billOf()), '?artifact_type=Vex')).body.error.validationErrors[0];
  assert.deepEqual([untrue.field, untrue.code], ['artifact_type', 'VAL_INVALID_VALUE']);
  assert.match(untrue.message, /recognised as Sbom/);
  assert.equal((await app.send('{}', '?bom_ref=x', 'evidence-viewer')).body.error.code, 'PERM_SCOPE_DENIED');
  const put = 'mutation ($input: PutArtifactInput!) { putArtifact(input: $input) { isNew artifact { type sha256 } } }';
  const input = { content: Buffer.from(JSON.stringify(billOf())).toString('base64') };
  const denied = await app.graph(put, { input }, { as: 'evidence-viewer' });
  assert.equal(denied.errors?.[0]?.extensions?.code, 'PERM_SCOPE_DENIED');
  const { data } = await app.graph(put, { input }, { as: 'evidence-operator' });
  const expected = { isNew: true, artifact: { type: 'SBOM', sha256: sha256(JSON.stringify(billOf())) } };
  assert.deepEqual(JSON.parse(JSON.stringify(data)), { putArtifact: expected });
});

test('without its setting the store has no routes: spec: rulings/9', async () => {
  await using app = await startApp({ ARTIFACTS__MOUNTRETRIEVAL: 'false' });
  assert.equal((await app.rest('GET', `${PATH}?bom_ref=x`, { as: 'evidence-viewer' })).status, 404);
});
