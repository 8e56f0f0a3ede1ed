import assert from 'node:assert/strict';
import { readFile, rename, utimes, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { detached } from '@landfall/kernel/core/connection-use';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { parseEnvelope, verifyEnvelope } from '@landfall/kernel/crypto/dsse';
import { count, integer } from '@landfall/kernel/db/columns';
import { type Sql, sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { caller } from '@landfall/kernel/testing/callers';
import { artifactApp, billOf, IMAGE, operator, RELEASE, viewer } from '../testing/artifact-app.ts';

const versions = table('evidence.artifact_index versions', { version: integer });

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
    plan.map(({ artifactId, keptBy }) => [artifactId, keptBy]),
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

  const objects = await app.files('objects');
  assert.equal(objects.length, 2);
  for (const path of objects) await utimes(path, 0, 0);
  assert.equal(await scrub.sweep(), 1, 'the sweeper removes the bytes without a row');
  assert.equal((await app.files('trash')).length, 1);
});

test('an object of an earlier prefix serves its artifact when that comes back, and goes when that is disposed of', async () => {
  await using app = await artifactApp({ env: { ARTIFACTS__RETENTIONDAYS: '10' } });
  const { artifacts, retention, scrub } = app.module;
  const { artifact } = await app.put({ any: 1 }, { bomRef: 'old' });
  const { artifactId: id, storageKey } = artifact;
  await rename(app.fileOf('artifacts'), app.fileOf('earlier'));
  await app.deps.database.write(operator.tenant, (tx) =>
    tx.run(sql`update evidence.artifact_index set storage_key = regexp_replace(storage_key, '^artifacts', 'earlier')`),
  );
  await retention.remove(admin, { id, reason });
  const content = Buffer.from(JSON.stringify({ any: 1 })).toString('base64');
  const again = await artifacts.put(admin, { bomRef: 'old', content });
  assert.equal(again.artifact.storageKey, storageKey.replace('artifacts', 'earlier'));
  const [object = ''] = await app.files('objects');
  await app.clock.advance(11 * DAY_MS);
  assert.deepEqual(await retention.run(admin, {}), { disposedCount: 1 });
  await utimes(object, 0, 0);
  assert.equal(await scrub.sweep(), 1);
  assert.equal((await app.files('trash')).length, 1);
  assert.equal(await scrub.sweep(), 0);
});

test('an artifact tells what it is about and evidence of, which bundles list it, and what keeps it before its end', async () => {
  await using app = await artifactApp({ env: { ARTIFACTS__RETENTIONDAYS: '10' }, imagesOfProducts: [IMAGE] });
  const { putDocument, holds, bundles } = app.module;
  const document = { bomRef: `landfall:release:${RELEASE}`, serialNumber: 'one' };
  const content = Buffer.from(JSON.stringify(billOf()));
  await putDocument(operator, { ...document, content, references: [{ kind: 'Release', id: RELEASE }] });
  const spare = await app.put({ any: 1 }, { bomRef: `landfall:release:${RELEASE} no more` });
  const [artifact] = (await app.module.artifacts.list(viewer, { bomRef: document.bomRef })).items;
  const artifactId = artifact?.artifactId ?? '';
  const first = await holds.place(operator, { artifactId, reason });
  await holds.end(operator, { id: first.id, reason });
  await holds.place(operator, { artifactId, reason: 'The court asks for it.' });
  const { id } = await bundles.create(operator, { artifactIds: [artifactId, spare.artifact.artifactId] });
  const query = `{ artifacts { edges { node {
      about { kind id release { id } deployment { id } }
      references { totalCount items { kind id release { id } deployment { id } scan { id } } }
      bundles(first: 1) { totalCount items { id } } retention { isEnded isDeleted type keptBy }
    } } }
    inForce: evidenceHolds { edges { node { reason artifact { id } } } }
    all: evidenceHolds(inForceOnly: false) { edges { node { reason } } }
    evidenceBundle(id: "${id}") { artifacts { about { kind } } } }`;
  const { data } = await app.graph(query, {}, { as: 'evidence-viewer' });
  const bundled = { totalCount: 1, items: [{ id }] };
  const kept = { isEnded: false, isDeleted: false };
  assert.deepEqual(JSON.parse(JSON.stringify(data)), {
    artifacts: {
      edges: [
        {
          node: {
            about: null,
            references: { totalCount: 0, items: [] },
            bundles: bundled,
            retention: { ...kept, type: 'OTHER', keptBy: ['BUNDLE'] },
          },
        },
        {
          node: {
            about: { kind: 'RELEASE', id: RELEASE, release: { id: RELEASE }, deployment: null },
            references: {
              totalCount: 1,
              items: [{ kind: 'RELEASE', id: RELEASE, release: { id: RELEASE }, deployment: null, scan: null }],
            },
            bundles: bundled,
            retention: { ...kept, type: 'SBOM', keptBy: ['HOLD', 'RELEASE', 'BUNDLE', 'IMAGE_OF_RELEASE'] },
          },
        },
      ],
    },
    inForce: { edges: [{ node: { reason: 'The court asks for it.', artifact: { id: artifactId } } }] },
    all: { edges: [{ node: { reason: 'The court asks for it.' } }, { node: { reason } }] },
    evidenceBundle: { artifacts: [{ about: null }, { about: { kind: 'RELEASE' } }] },
  });
});

test('anybody may name a release in a bom-ref: the artifact is about it where the platform knows it as evidence', async () => {
  await using app = await artifactApp();
  const bomRef = `landfall:release:${RELEASE}`;
  const document = { bomRef, serialNumber: 'known', content: Buffer.from(JSON.stringify(billOf())) };
  await app.module.putDocument(operator, { ...document, references: [{ kind: 'Release', id: RELEASE }] });
  await app.put({ any: 1 }, { bomRef, serialNumber: 'anybody' });
  const aboutOf = async (serialNumber: string) => {
    const query = `{ artifacts(serialNumber: "${serialNumber}") { edges { node { about { id } } } } }`;
    return JSON.parse(JSON.stringify((await app.graph(query, {}, { as: 'evidence-viewer' })).data)).artifacts.edges;
  };
  assert.deepEqual(await aboutOf('known'), [{ node: { about: { id: RELEASE } } }]);
  assert.deepEqual(await aboutOf('anybody'), [{ node: { about: null } }]);
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
  const { version } = await app.module.artifacts.get(viewer, { id });
  await retention.remove(admin, { id, reason });
  await assert.rejects(retention.extend(admin, { id, until: after(90), reason }), { code: 'RES_NOT_FOUND' });
  const rows = await app.rows(versions, sql`select version from evidence.artifact_index`);
  assert.deepEqual(rows, [{ version: version + 1 }], 'nothing is kept of the refused one');
});

test('no login of the database shortens a retention, deletes within it or takes a hold away', async () => {
  await using app = await artifactApp({ env: { ARTIFACTS__RETENTIONDAYS: '30' } });
  const { holds, retention } = app.module;
  const { artifact } = await app.put(billOf());
  const hold = await holds.place(operator, { artifactId: artifact.artifactId, reason });
  const { database } = app.deps;
  const asApp = (statement: Sql) => database.write(operator.tenant, (tx) => tx.run(statement));
  const asSystem = (statement: Sql) => database.system.write((tx) => tx.run(statement));
  const sooner = [
    sql`update evidence.artifact_index set retain_until = retain_until - interval '1 second'`,
    sql`update evidence.artifact_index set retain_until = null`,
  ];
  for (const statement of sooner) {
    await assert.rejects(asApp(statement), /only grows/);
    await assert.rejects(asSystem(statement), /only grows/);
  }
  await assert.rejects(asApp(sql`delete from evidence.holds`), /goes with its artifact/);
  await holds.end(operator, { id: hold.id, reason });
  const renew = sql`update evidence.holds set ended_at = null, ended_by = null, end_reason = null`;
  await assert.rejects(asApp(renew), /stays so/);
  await assert.rejects(asApp(sql`delete from evidence.holds`), /goes with its artifact/);
  await assert.rejects(asApp(sql`delete from evidence.artifact_index`), /has not ended/);
  await app.clock.advance(31 * DAY_MS);
  assert.deepEqual(await retention.run(admin, {}), { disposedCount: 1 });
});

test('no login of the database deletes evidence whose disposal is not recorded, also where no end was set', async () => {
  await using app = await artifactApp({ env: { ARTIFACTS__RETENTIONDAYS: '1' } });
  const { holds, retention } = app.module;
  const asApp = (statement: Sql) => app.deps.database.write(operator.tenant, (tx) => tx.run(statement));
  const { artifact } = await app.put(billOf());
  await app.clock.advance(2 * DAY_MS);
  assert.deepEqual(await retention.run(admin, {}), { disposedCount: 1 });
  await app.put(billOf());
  await asApp(sql`insert into evidence.artifact_index (tenant, artifact_id, artifact_type, storage_key, bom_ref, serial_number,
    sha256, size_bytes, content_type, created_by) select tenant, gen_random_uuid(), artifact_type, 'key', 'unset',
    serial_number, sha256, size_bytes, content_type, created_by from evidence.artifact_index`);
  const hold = await holds.place(operator, { artifactId: artifact.artifactId, reason });
  await holds.end(operator, { id: hold.id, reason });
  await app.clock.advance(2 * DAY_MS);
  for (const bomRef of ['unset', artifact.bomRef])
    await assert.rejects(asApp(sql`delete from evidence.artifact_index where bom_ref = ${bomRef}`), /no disposal is/);
  await assert.rejects(asApp(sql`delete from evidence.holds`), /goes with its artifact/);
  assert.deepEqual(await retention.run(admin, {}), { disposedCount: 2 });
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

test('an artifact that is about more digests than are listed stays, and the last listed digest counts', async () => {
  const images = Array.from({ length: 10_001 }, (_, at) => sha256(`image ${at}`));
  const statementOf = (digests: readonly string[]) => ({
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: 'https://example.test/many',
    subject: digests.map((digest) => ({ digest: { sha256: digest.slice('sha256:'.length) } })),
  });
  const released = images.slice(0, 1_200).toSorted().at(-1);
  await using app = await artifactApp({
    env: { ARTIFACTS__RETENTIONDAYS: '1' },
    imagesOfProducts: released ? [released] : [],
  });
  const { retention } = app.module;
  await app.put(statementOf(images), { bomRef: 'too many' });
  await app.put(statementOf(images.slice(0, 1_200)), { bomRef: 'many' });
  await app.clock.advance(2 * DAY_MS);
  assert.deepEqual(
    new Map((await retention.plan(viewer, {})).map(({ bomRef, keptBy }) => [bomRef, keptBy])),
    new Map([
      ['too many', ['unlisted_subjects', 'image_of_release']],
      ['many', ['image_of_release']],
    ]),
  );
});

const waiting = table('pg_locks waiting', { count });

test('a run of the retention waits for a bundle that is being made, and keeps what it lists', async () => {
  await using app = await artifactApp({ env: { ARTIFACTS__RETENTIONDAYS: '1' } });
  await app.put(billOf());
  await app.clock.advance(2 * DAY_MS);
  const { bundles, retention } = app.module;
  const hasWaiter = async () =>
    (await app.rows(waiting, sql`select count(*) as count from pg_locks where not granted`))[0]?.count !== 0;
  const { run } = await app.deps.database.write(operator.tenant, async (tx) => {
    await bundles.createOf(tx, operator, { kind: 'release', id: RELEASE });
    let isOver = false;
    const running = detached(async () => retention.run(admin, {})).finally(() => {
      isOver = true;
    });
    while (!isOver && !(await detached(hasWaiter)));
    return { run: running };
  });
  assert.deepEqual(await run, { disposedCount: 0 });
  assert.equal((await bundles.list(viewer, {})).items.length, 1);
});

test('a hundred artifacts that are kept do not end the retention of the next one', async () => {
  await using app = await artifactApp({ env: { ARTIFACTS__RETENTIONDAYS: '1' } });
  const ids: string[] = [];
  for (let at = 0; at < 100; at++) ids.push((await app.put({ at }, { bomRef: `at ${at}` })).artifact.artifactId);
  await app.module.bundles.create(operator, { artifactIds: ids });
  await app.clock.advance(1_000);
  const { artifact } = await app.put({ last: true }, { bomRef: 'last' });
  await app.clock.advance(2 * DAY_MS);
  const [first] = await app.module.retention.plan(viewer, {});
  assert.deepEqual([first?.artifactId, first?.keptBy], [artifact.artifactId, []]);
  assert.deepEqual(await app.module.retention.run(admin, {}), { disposedCount: 1 });
});

test('what a pipeline repeats stays deleted, until an administrator puts it again', async () => {
  await using app = await artifactApp();
  const { artifact } = await app.put(billOf());
  const { artifacts, retention } = app.module;
  const id = artifact.artifactId;
  await retention.remove(admin, { id, reason: 'It names a customer.' });
  await assert.rejects(app.put(billOf()), { code: 'RES_CONFLICT', message: /administrator deleted this evidence/ });
  await assert.rejects(artifacts.get(viewer, { id }), { code: 'RES_NOT_FOUND' });
  const content = Buffer.from(JSON.stringify(billOf())).toString('base64');
  const again = await artifacts.put({ ...operator, scopes: new Set([...operator.scopes, 'orch:admin']) }, { content });
  assert.equal(again.artifact.artifactId, id);
  assert.equal((await artifacts.get(viewer, { id })).version, again.artifact.version);
});
