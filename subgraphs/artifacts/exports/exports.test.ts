import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { sql } from '@landfall/kernel/db/sql';
import { arm } from '@landfall/kernel/system/failpoint';
import { caller } from '@landfall/kernel/testing/callers';
import { artifactApp, billOf, operator, RELEASE, stranger } from '../testing/artifact-app.ts';
import { verifyExport } from './verification.ts';

const viewer = caller({ subject: 'vera', scopes: ['export.viewer'] });

type App = Awaited<ReturnType<typeof artifactApp>>;

/** Puts bills of materials of the release's image. */
const putBills = (app: App, count: number) =>
  Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { artifact } = await app.put({ ...billOf(), version: index + 1 });
      return artifact;
    }),
  );

const exported = async (app: App) => {
  const bundle = await app.module.bundles.create(operator, { subject: { kind: 'release', id: RELEASE } });
  const { id } = await app.module.exports.request(operator, { bundleId: bundle.id });
  return { bundleId: bundle.id, exportId: id };
};

test('an export is made by the worker, and its archive verifies by the published trust document', async () => {
  await using app = await artifactApp();
  await putBills(app, 3);
  const key = await exported(app);
  assert.equal((await app.module.exports.get(viewer, key)).status, 'queued');
  assert.equal(await app.module.makeExport(), 1);
  assert.equal(await app.module.makeExport(), 0);
  const { status, checkedCount, missingCount, rootHash, manifest } = await app.module.exports.get(viewer, key);
  assert.deepEqual([status, checkedCount, missingCount], ['complete', 3, 0]);
  const { gzip, fileName } = await app.module.exports.download(viewer, key);
  assert.equal(fileName, `evidence-${key.exportId}.tar.gz`);
  const verified = await verifyExport(gzip, await app.documentSeal.trust());
  assert.equal(verified.manifest.rootHash, rootHash);
  assert.deepEqual(verified.manifest.subject, { kind: 'release', id: RELEASE });
  assert.equal(JSON.parse(manifest ?? '').entryCount, 8);
});

test('an export of more artifacts than a page, whose files are longer than a piece, verifies', async () => {
  await using app = await artifactApp();
  const [first] = await putBills(app, 1);
  const key = await exported(app);
  await app.deps.database.write(operator.tenant, (tx) =>
    tx.run(sql`insert into evidence.bundle_artifacts (tenant, bundle_id, path, artifact_id, artifact_type, bom_ref,
        serial_number, storage_key, media_type, sha256, size_bytes, created_at)
      select tenant, bundle_id, path || n, artifact_id, artifact_type, bom_ref, serial_number, storage_key, media_type,
        sha256, size_bytes, created_at
      from evidence.bundle_artifacts, generate_series(1000, 2999) n where artifact_id = ${first?.artifactId ?? ''}`),
  );
  await app.module.makeExport();
  const { manifest } = await app.module.exports.get(viewer, key);
  assert.ok((manifest ?? '').length > 262_144);
  const { gzip } = await app.module.exports.download(viewer, key);
  const verified = await verifyExport(gzip, await app.documentSeal.trust());
  assert.equal(verified.manifest.entries.filter(({ path }) => path.startsWith('artifacts/')).length, 2_001);
});

test('two downloads of an export are the same bytes, also after every key was rotated', async () => {
  await using app = await artifactApp();
  await putBills(app, 2);
  const key = await exported(app);
  await app.module.makeExport();
  const first = await buffer((await app.module.exports.download(viewer, key)).gzip);
  await app.clock.advance(86_400_000);
  for (const purpose of ['attestation', 'log', 'timestamp'] as const) await app.signingKeys.rotate(purpose);
  const second = await buffer((await app.module.exports.download(viewer, key)).gzip);
  assert.ok(first.equals(second));
  await app.clock.advance(3_650 * 86_400_000);
  await verifyExport(Readable.from([second]), await app.documentSeal.trust());
});

test('artifacts that are gone or changed are left out, listed and signed as missing', async () => {
  await using app = await artifactApp();
  const [whole, changed, gone] = await putBills(app, 3);
  assert.ok(whole && changed && gone);
  const key = await exported(app);
  await writeFile(join(app.objectsDirectory, changed.storageKey), '{}');
  await rm(join(app.objectsDirectory, gone.storageKey));
  await app.module.makeExport();
  const { missingCount } = await app.module.exports.get(viewer, key);
  assert.equal(missingCount, 2);
  const { manifest } = await verifyExport((await app.module.exports.download(viewer, key)).gzip);
  assert.deepEqual(
    new Map(manifest.missing.map(({ artifactId, reason }) => [artifactId, reason])),
    new Map([
      [changed.artifactId, 'corrupt'],
      [gone.artifactId, 'corrupt'],
    ]),
  );
  assert.deepEqual(
    manifest.entries.filter(({ path }) => path.startsWith('artifacts/')).map(({ sha256 }) => `sha256:${sha256}`),
    [whole.sha256],
  );
});

test('an artifact that was deleted from lists is exported, since its bytes are there; a corrupt one is lost', async () => {
  await using app = await artifactApp();
  const [deleted, corrupt] = await putBills(app, 2);
  assert.ok(deleted && corrupt);
  const key = await exported(app);
  await app.deps.database.write(operator.tenant, async (tx) => {
    await tx.run(sql`update evidence.artifact_index set is_deleted = true where artifact_id = ${deleted.artifactId}`);
    await tx.run(sql`update evidence.artifact_index set corrupt_at = kernel.now()
      where artifact_id = ${corrupt.artifactId}`);
  });
  await app.module.makeExport();
  const [{ losses } = { losses: [] }] = await app.module.bundles.losses(viewer, { ids: [key.bundleId] });
  assert.deepEqual(
    losses.map(({ artifactId, reason }) => [artifactId, reason]),
    [[corrupt.artifactId, 'corrupt']],
  );
  const { manifest } = await verifyExport((await app.module.exports.download(viewer, key)).gzip);
  assert.ok(manifest.entries.some(({ sha256 }) => `sha256:${sha256}` === deleted.sha256));
});

test('an artifact that changes after the export was signed breaks the download', async () => {
  await using app = await artifactApp();
  const [first] = await putBills(app, 2);
  const key = await exported(app);
  await app.module.makeExport();
  await writeFile(join(app.objectsDirectory, first?.storageKey ?? ''), '{}');
  const { gzip } = await app.module.exports.download(viewer, key);
  await assert.rejects(buffer(gzip), (error) => error instanceof Fault && error.code === 'SYS_STORAGE_ERROR');
});

test('a bundle has one export under way, which a second request is answered with', async () => {
  await using app = await artifactApp();
  const key = await exported(app);
  const again = await app.module.exports.request(operator, { bundleId: key.bundleId });
  assert.equal(again.id, key.exportId);
  await app.module.makeExport();
  const next = await app.module.exports.request(operator, { bundleId: key.bundleId });
  assert.notEqual(next.id, key.exportId);
});

test('a worker that stops renewing loses the export to the next one, and cannot complete it', async () => {
  await using app = await artifactApp();
  await putBills(app, 1);
  const key = await exported(app);
  using _overtaken = arm('artifacts.export.sealed', async () => {
    _overtaken[Symbol.dispose]();
    await app.clock.advance(700_000);
    assert.equal(await app.module.makeExport(), 1);
  });
  assert.equal(await app.module.makeExport(), 1);
  assert.equal((await app.module.exports.get(viewer, key)).status, 'complete');
  const { data } = await app.graph(
    'query ($id: ID!) { evidenceBundle(id: $id) { exports { status version } } }',
    {
      id: key.bundleId,
    },
    { as: 'evidence-operator' },
  );
  assert.deepEqual(JSON.parse(JSON.stringify(data)), {
    evidenceBundle: { exports: [{ status: 'COMPLETE', version: 4 }] },
  });
});

test('an export that cannot be signed is tried five times, then fails with a reason', async () => {
  await using app = await artifactApp();
  const key = await exported(app);
  using _failing = arm('artifacts.export.sealed', () => {
    throw new Fault('SYS_SERVICE_UNAVAILABLE', 'The authority at http://10.0.0.1 does not answer.');
  });
  for (let attempt = 1; attempt <= 5; attempt++) {
    assert.equal(await app.module.makeExport(), 1);
    assert.equal(await app.module.makeExport(), 0, 'there is a pause');
    await app.clock.advance(60_000);
  }
  const { status, failure } = await app.module.exports.get(viewer, key);
  assert.equal(status, 'failed');
  assert.equal(failure, 'It could not be read, signed or timestamped (SYS_SERVICE_UNAVAILABLE).');
  await assert.rejects(app.module.exports.download(viewer, key), { code: 'RES_CONFLICT' });
});

test('another tenant finds neither the bundle nor its export', async () => {
  await using app = await artifactApp();
  const key = await exported(app);
  const other = { ...stranger, scopes: new Set(['export.viewer', 'export.operator']) };
  await assert.rejects(app.module.exports.get(other, key), { code: 'RES_NOT_FOUND' });
  await assert.rejects(app.module.exports.download(other, key), { code: 'RES_NOT_FOUND' });
  await assert.rejects(app.module.exports.request(other, { bundleId: key.bundleId }), { code: 'RES_NOT_FOUND' });
  await assert.rejects(app.module.bundles.get(other, { id: key.bundleId }), { code: 'RES_NOT_FOUND' });
});

test('an export whose worker was killed five times fails, with the reason', async () => {
  await using app = await artifactApp();
  await putBills(app, 1);
  const key = await exported(app);
  await app.deps.database.write(operator.tenant, (tx) => tx.run(sql`update evidence.exports set attempts = 5`));
  await app.module.makeExport();
  const { status, failure } = await app.module.exports.get(viewer, key);
  assert.deepEqual([status, failure], ['failed', 'Each of 5 attempts was cut short.']);
});
