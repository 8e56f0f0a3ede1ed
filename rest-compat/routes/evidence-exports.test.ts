import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { artifactApp, billOf, operator, RELEASE } from '@landfall/artifacts/testing/artifact-app';
import { evidenceExportRoutes } from './evidence-exports.ts';

const startApp = async (bills = 1) => {
  const app = await artifactApp({ routes: evidenceExportRoutes });
  const artifacts = [];
  for (let index = 0; index < bills; index++)
    artifacts.push((await app.put({ ...billOf(), version: index + 1 })).artifact);
  const { id } = await app.module.bundles.create(operator, { subject: { kind: 'release', id: RELEASE } });
  return { ...app, artifacts, path: `/api/v1/bundles/${id}/export` };
};

test('a client requests an export, follows its status URL, and downloads a gzip archive', async () => {
  // spec: 4.5/export, 4.5/export-status, 4.5/export-download
  await using app = await startApp();
  const requested = await app.rest('POST', app.path, { as: 'evidence-operator' });
  assert.equal(requested.status, 202);
  const { exportId, statusUrl } = requested.body;
  assert.deepEqual(requested.body, { exportId, status: 'queued', statusUrl, checkedCount: 0 });
  assert.equal(requested.headers.get('location'), statusUrl);
  assert.equal(statusUrl, `${app.path}/${exportId}`);

  const waiting = await app.rest('GET', statusUrl, { as: 'evidence-viewer' });
  assert.deepEqual([waiting.status, waiting.body], [202, requested.body]);
  await app.module.makeExport();
  const complete = await app.rest('GET', statusUrl, { as: 'evidence-viewer' });
  assert.equal(complete.status, 200);
  const { status, manifest, downloadUrl, missingCount } = complete.body;
  assert.deepEqual([status, downloadUrl, missingCount], ['complete', `${statusUrl}/download`, 0]);

  const archive = await fetch(app.origin + downloadUrl, { headers: { 'x-test-person': 'evidence-viewer' } });
  assert.equal(archive.headers.get('content-type'), 'application/gzip');
  assert.equal(archive.headers.get('content-disposition'), `attachment; filename="evidence-${exportId}.tar.gz"`);
  const verified = await app.verifyArchive(new Uint8Array(await archive.arrayBuffer()));
  assert.deepEqual(verified.manifest, manifest);
});

test('a download while the export runs is 409 and says when to come back: spec: 7.3/export-running', async () => {
  await using app = await startApp();
  const { body } = await app.rest('POST', app.path, { as: 'evidence-operator' });
  const refused = await app.rest('GET', `${body.statusUrl}/download`, { as: 'evidence-viewer' });
  assert.deepEqual([refused.status, refused.body.success, refused.body.error.code], [409, false, 'RES_CONFLICT']);
  assert.match(refused.body.error.message, /is queued\. Download it when its status is complete\.$/);
});

test('a bundle, an export and an export of another bundle that are not there are 404', async () => {
  await using app = await startApp();
  const none = '0197c0de-0000-7000-8000-000000000000';
  const { body } = await app.rest('POST', app.path, { as: 'evidence-operator' });
  const missing = [
    await app.rest('POST', `/api/v1/bundles/${none}/export`, { as: 'evidence-operator' }),
    await app.rest('GET', `${app.path}/${none}`, { as: 'evidence-viewer' }),
    await app.rest('GET', `${app.path}/${none}/download`, { as: 'evidence-viewer' }),
    await app.rest('GET', `/api/v1/bundles/${none}/export/${body.exportId}`, { as: 'evidence-viewer' }),
    await app.rest('POST', app.path, { as: 'other-evidence-operator' }),
  ];
  for (const { status, body: answer } of missing)
    assert.deepEqual([status, answer.success, answer.error.code], [404, false, 'RES_NOT_FOUND']);
});

test('requests need export.operator, status and download export.viewer: spec: 5/export-scopes', async () => {
  await using app = await startApp();
  assert.equal((await app.rest('POST', app.path, { as: 'evidence-viewer' })).status, 403);
  const { body } = await app.rest('POST', app.path, { as: 'evidence-operator' });
  for (const path of [body.statusUrl, `${body.statusUrl}/download`]) {
    const { status, body: refusal } = await app.rest('GET', path, { as: 'evidence-operator' });
    assert.deepEqual([status, refusal.error.code], [403, 'PERM_SCOPE_DENIED']);
    assert.equal((await fetch(app.origin + path)).status, 401);
  }
});

test('an artifact that changed since is seen by the client as an archive that is cut off', async () => {
  await using app = await startApp(3);
  const { body } = await app.rest('POST', app.path, { as: 'evidence-operator' });
  await app.module.makeExport();
  const [, second] = app.artifacts;
  await writeFile(join(app.objectsDirectory, second?.storageKey ?? ''), '{"other": "bytes"}');
  const download = async () => {
    const response = await fetch(`${app.origin}${body.statusUrl}/download`, {
      headers: { 'x-test-person': 'evidence-viewer' },
    });
    return gunzipSync(Buffer.from(await response.arrayBuffer()));
  };
  await assert.rejects(download);
});

test('what the bundle lost is counted in the status and named in the manifest', async () => {
  await using app = await startApp(2);
  const [, second] = app.artifacts;
  await rm(join(app.objectsDirectory, second?.storageKey ?? ''));
  const { body } = await app.rest('POST', app.path, { as: 'evidence-operator' });
  await app.module.makeExport();
  const { missingCount, manifest } = (await app.rest('GET', body.statusUrl, { as: 'evidence-viewer' })).body;
  assert.equal(missingCount, 1);
  assert.equal(manifest.missing[0].artifactId, second?.artifactId);
});
