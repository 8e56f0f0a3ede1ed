import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '@landfall/kernel/db/sql';
import { artifactApp, billOf, operator, RELEASE, stranger, viewer } from '../testing/artifact-app.ts';

const subject = { kind: 'release', id: RELEASE } as const;

test('a bundle holds what is there about its subject when it is made, and nothing that comes later', async () => {
  await using app = await artifactApp();
  const { artifact } = await app.put(billOf());
  await app.put({ ...billOf(`sha256:${'0'.repeat(64)}`), serialNumber: 'urn:uuid:other' });
  const { bundles } = app.module;
  const bundle = await bundles.create(operator, { subject });
  await app.put({ ...billOf(), version: 2 });
  assert.deepEqual([bundle.artifactCount, bundle.sizeBytes], [1, artifact.sizeBytes]);
  const artifacts = await bundles.artifacts(viewer, { id: bundle.id });
  assert.deepEqual(
    artifacts.map(({ artifactId, sha256, path }) => ({ artifactId, sha256, path })),
    [
      {
        artifactId: artifact.artifactId,
        sha256: artifact.sha256,
        path: `artifacts/Sbom/${artifact.artifactId}.json`,
      },
    ],
  );
});

test('chosen artifacts make a bundle without a subject; one that does not exist makes none', async () => {
  await using app = await artifactApp();
  const { artifact } = await app.put(billOf());
  const { bundles } = app.module;
  const bundle = await bundles.create(operator, { artifactIds: [artifact.artifactId] });
  assert.deepEqual([bundle.subjectKind, bundle.artifactCount], [null, 1]);
  const unknown = { artifactIds: [artifact.artifactId, '0197c0de-0000-8000-8000-000000000000'] };
  await assert.rejects(bundles.create(operator, unknown), { code: 'RES_NOT_FOUND' });
  await assert.rejects(bundles.create(stranger, { artifactIds: [artifact.artifactId] }), { code: 'RES_NOT_FOUND' });
  assert.equal((await bundles.list(viewer, {})).items.length, 1);
});

test('a bundle needs a subject or artifacts, not both, and a subject that exists', async () => {
  await using app = await artifactApp();
  const { create } = app.module.bundles;
  await assert.rejects(create(operator, {}), { code: 'VAL_REQUIRED_FIELD' });
  await assert.rejects(create(operator, { subject, artifactIds: ['0197c0de-0000-8000-8000-000000000000'] }), {
    code: 'VAL_REQUIRED_FIELD',
  });
  const unknown = { kind: 'deployment', id: '0197c0de-0000-7000-8000-000000000000' };
  await assert.rejects(create(operator, { subject: unknown }), { code: 'RES_NOT_FOUND' });
  await assert.rejects(create(viewer, { subject }), { code: 'PERM_SCOPE_DENIED' });
});

test('no role of the database can change a bundle or its artifacts', async () => {
  await using app = await artifactApp();
  await app.put(billOf());
  const { id } = await app.module.bundles.create(operator, { subject });
  const tenant = operator.tenant;
  for (const statement of [
    sql`update evidence.bundles set artifact_count = 0`,
    sql`delete from evidence.bundles`,
    sql`update evidence.bundle_artifacts set sha256 = sha256`,
    sql`delete from evidence.bundle_artifacts`,
  ])
    await assert.rejects(
      app.deps.database.write(tenant, (tx) => tx.run(statement)),
      /permission denied/,
    );
  assert.equal((await app.module.bundles.get(viewer, { id })).artifactCount, 1);
});
