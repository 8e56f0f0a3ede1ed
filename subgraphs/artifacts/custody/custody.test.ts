import assert from 'node:assert/strict';
import { readFile, utimes, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { parseEnvelope, verifyEnvelope } from '@landfall/kernel/crypto/dsse';
import { caller } from '@landfall/kernel/testing/callers';
import { artifactApp, billOf, operator, viewer } from '../testing/artifact-app.ts';

const DAY_MS = 86_400_000;
const admin = caller({ subject: '00000000-0000-7000-8000-0000000000bf', scopes: ['orch:admin', 'export.operator'] });
const reason = 'The audit of 2026 asks for it.';

test('the run disposes of exactly what its dry run names, and leaves a signed record of each', async () => {
  await using app = await artifactApp({ env: { ARTIFACTS__RETENTIONDAYS: '10' } });
  const { retention, artifacts, scrub, documentSeal } = app.module;
  const { artifact } = await app.put({ any: 1 }, { bomRef: 'old' });
  assert.deepEqual(await retention.plan(viewer, {}), []);
  assert.deepEqual(await retention.run(admin, {}), { disposedCount: 0 });
  await app.clock.advance(11 * DAY_MS);
  await app.put({ any: 2 }, { bomRef: 'new' });
  const plan = await retention.plan(viewer, {});
  assert.deepEqual(
    plan.map(({ artifact: { artifactId }, keptBy }) => [artifactId, keptBy]),
    [[artifact.artifactId, []]],
  );
  await assert.rejects(retention.run(operator, {}), { code: 'PERM_SCOPE_DENIED' });
  assert.deepEqual(await retention.run(admin, {}), { disposedCount: 1 });
  await assert.rejects(artifacts.get(viewer, { id: artifact.artifactId }), { code: 'RES_NOT_FOUND' });

  const [record] = (await retention.disposals(viewer, {})).items;
  assert.equal(record?.sha256, artifact.sha256);
  const envelope = parseEnvelope(record?.envelope);
  const signer = await documentSeal.signer();
  assert.equal(verifyEnvelope(envelope, [signer]).length, 1);
  assert.equal(JSON.parse(envelope.payload.toString()).rule, 'Artifacts:RetentionDays=10');

  const [first = '', ...others] = await app.files('objects');
  assert.equal(others.length, 1);
  for (const path of [first, ...others]) await utimes(path, 0, 0);
  assert.equal(await scrub.sweep(), 1, 'the sweeper removes the bytes without a row');
  assert.equal((await app.files('objects')).length, 1);
});

test('no role disposes of or deletes an artifact under a hold, and only its owner or an administrator ends it', async () => {
  await using app = await artifactApp({ env: { ARTIFACTS__RETENTIONDAYS: '1' } });
  const { holds, retention } = app.module;
  const { artifact } = await app.put(billOf());
  const id = artifact.artifactId;
  const hold = await holds.place(operator, { artifactId: id, reason });
  await app.clock.advance(2 * DAY_MS);
  await assert.rejects(retention.remove(admin, { id, reason }), { code: 'RES_CONFLICT' });
  assert.deepEqual(await retention.run(admin, {}), { disposedCount: 0 });
  assert.deepEqual(
    (await retention.plan(viewer, {})).map(({ keptBy }) => keptBy),
    [['hold']],
  );
  const other = caller({ subject: '00000000-0000-7000-8000-0000000000be', scopes: ['export.operator'] });
  await assert.rejects(holds.end(other, { id: hold.id, reason }), { code: 'PERM_ACTION_DENIED' });
  await holds.end(admin, { id: hold.id, reason });
  await assert.rejects(holds.end(operator, { id: hold.id, reason }), { code: 'RES_CONFLICT' });
  assert.deepEqual(await retention.run(admin, {}), { disposedCount: 1 });
});

test('the end of a retention only moves away, whatever the setting is later', async () => {
  await using app = await artifactApp({ env: { ARTIFACTS__RETENTIONDAYS: '30' } });
  const { retention } = app.module;
  const { artifact } = await app.put(billOf());
  const id = artifact.artifactId;
  const after = (days: number) => new Date(app.clock.now().getTime() + days * DAY_MS).toISOString();
  await assert.rejects(retention.extend(operator, { id, until: after(29), reason }), { code: 'VAL_INVALID_VALUE' });
  await retention.extend(operator, { id, until: after(60), reason });
  await assert.rejects(retention.extend(admin, { id, until: after(59), reason }), { code: 'VAL_INVALID_VALUE' });
  await app.clock.advance(31 * DAY_MS);
  assert.deepEqual(await retention.plan(viewer, {}), []);
});

test('an artifact that a bundle lists stays after its retention', async () => {
  await using app = await artifactApp({ env: { ARTIFACTS__RETENTIONDAYS: '1' } });
  const { artifact } = await app.put(billOf());
  await app.module.bundles.create(operator, { artifactIds: [artifact.artifactId] });
  await app.clock.advance(2 * DAY_MS);
  const { retention } = app.module;
  assert.deepEqual(
    (await retention.plan(viewer, {})).map(({ keptBy }) => keptBy),
    [['bundle']],
  );
  assert.deepEqual(await retention.run(admin, {}), { disposedCount: 0 });
});

test('the scrubber finds a flipped byte, quarantines the object and tells; a new put makes it whole', async () => {
  await using app = await artifactApp({ env: { ARTIFACTS__SCRUBDAYS: '30' } });
  const { scrub, artifacts } = app.module;
  const { artifact } = await app.put(billOf());
  await app.put(billOf(), { bomRef: 'other' });
  assert.equal(await scrub.scrub(), 0, 'nothing is due');
  await app.clock.advance(31 * DAY_MS);
  const path = (await app.files('objects')).find((each) => each.includes(artifact.artifactId)) ?? '';
  const bytes = await readFile(path);
  bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 4, bytes.length >> 1);
  await writeFile(path, bytes);
  assert.equal(await scrub.scrub(), 2);
  assert.equal(await scrub.scrub(), 0);
  const { corruptAt } = await artifacts.get(viewer, { id: artifact.artifactId });
  assert.ok(corruptAt);
  assert.equal((await app.files('quarantine')).length, 1);
  assert.equal((await app.files('objects')).length, 1);
  await app.put(billOf());
  assert.equal((await artifacts.get(viewer, { id: artifact.artifactId })).corruptAt, null);
  assert.equal((await app.files('objects')).length, 2);
});
