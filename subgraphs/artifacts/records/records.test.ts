import assert from 'node:assert/strict';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { exampleId } from '@landfall/kernel/core/ids';
import { boolean, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { caller } from '@landfall/kernel/testing/callers';
import { artifactApp, billOf, IMAGE, operator, RELEASE, stranger, viewer } from '../testing/artifact-app.ts';

const admin = caller({ subject: '00000000-0000-7000-8000-0000000000bf', scopes: ['orch:admin', 'export.operator'] });
const indexed = table('evidence.artifact_index seen', {
  artifactType: text,
  storageKey: text,
  bomRef: text,
  serialNumber: text,
  sha256: text,
  isDeleted: boolean,
});

test('the index is the table evidence.artifact_index with the fields of the specification', async () => {
  // spec: 2.6/index-table, spec: 2.6/index-fields
  await using app = await artifactApp();
  const { artifact } = await app.put(billOf());
  const [row] = await app.rows(indexed, sql`select ${indexed.columns} from evidence.artifact_index`);
  const { artifactId, sha256 } = artifact;
  assert.deepEqual(row, {
    artifactType: 'Sbom',
    storageKey: `artifacts/artifacts/pkg_oci_shop_at_${IMAGE.replace(':', '_')}/urn_uuid_3e671687-395b-41f5-a30f-a58921a69b79/${artifactId}.json`,
    bomRef: `pkg:oci/shop@${IMAGE}`,
    serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
    sha256,
    isDeleted: false,
  });
});

test('each of the five types is told by the content: spec: 2.6/artifact-types', async () => {
  await using app = await artifactApp();
  const statement = (predicateType: string) => ({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'shop', digest: { sha256: IMAGE.slice(7) } }],
    predicateType,
  });
  const payload = Buffer.from(JSON.stringify(statement('https://slsa.dev/provenance/v1'))).toString('base64');
  const documents = {
    Sbom: billOf(),
    Vex: {
      '@context': 'https://openvex.dev/ns/v0.2.0',
      statements: [{ products: [{ '@id': `pkg:oci/shop@${IMAGE}` }] }],
    },
    DsseEnvelope: { payload, payloadType: 'application/vnd.in-toto+json', signatures: [{ sig: 'AA==' }] },
    RekorProof: {
      logIndex: '1',
      inclusionProof: { hashes: [] },
      canonicalizedBody: Buffer.from(JSON.stringify({ value: IMAGE.slice(7) })).toString('base64'),
    },
    Verdict: statement('https://slsa.dev/verification_summary/v1'),
  };
  for (const [type, document] of Object.entries(documents)) {
    const { artifact } = await app.put(document, { bomRef: `of ${type}` });
    assert.equal(artifact.artifactType, type);
  }
  const about = await app.module.artifacts.search(viewer, { subjectDigest: IMAGE });
  assert.deepEqual(
    new Set(about.items.map(({ artifactType }) => String(artifactType))),
    new Set(Object.keys(documents)),
  );
});

test('the same evidence is one artifact, one object and one event', async () => {
  await using app = await artifactApp();
  const first = await app.put(billOf());
  const again = await app.put(billOf());
  const other = await app.put(billOf(), { serialNumber: 'another' });
  assert.deepEqual([first.isNew, again.isNew, other.isNew], [true, false, true]);
  assert.equal(again.artifact.artifactId, first.artifact.artifactId);
  assert.notEqual(other.artifact.artifactId, first.artifact.artifactId);
  assert.equal((await app.files('objects')).length, 2);
  assert.deepEqual(await app.files('incoming'), []);
});

test('evidence without a bom-ref of any kind, or without bytes, is refused with what to do', async () => {
  await using app = await artifactApp();
  await assert.rejects(app.put({ any: 'thing' }), { code: 'VAL_REQUIRED_FIELD', message: /bomRef|content names none/ });
  await assert.rejects(app.module.artifacts.put(operator, { bomRef: 'x', content: 'AB' }), {
    code: 'VAL_INVALID_FORMAT',
  });
  await assert.rejects(app.module.artifacts.put(operator, { bomRef: 'x', content: '' }), {
    code: 'VAL_REQUIRED_FIELD',
    message: /there are no bytes/,
  });
  await assert.rejects(app.module.artifacts.put(viewer, { bomRef: 'x', content: '' }), { code: 'PERM_SCOPE_DENIED' });
  assert.deepEqual([await app.files('objects'), await app.files('incoming')], [[], []]);
});

test('content that is too large, too deep or no JSON is kept, and the index says why it has no subjects', async () => {
  await using app = await artifactApp();
  const deep = `${'['.repeat(33)}${']'.repeat(33)}`;
  const chunks = async function* (bytes: Buffer) {
    yield bytes;
  };
  const noteOf = async (bytes: Buffer) => {
    const { artifact } = await app.module.putStream(operator, { bomRef: 'x' }, chunks(bytes));
    return artifact.contentNote;
  };
  assert.match(String(await noteOf(Buffer.from(deep))), /deeper than 32/);
  assert.match(String(await noteOf(Buffer.from('plain'))), /not JSON/);
  assert.match(String(await noteOf(Buffer.alloc(16 * 1024 * 1024 + 1, ' '))), /larger than 16777216/);
});

test('a page continues by a signed token, which is good for the same filters and tenant only', async () => {
  await using app = await artifactApp();
  for (let index = 0; index < 5; index++) await app.put(billOf(), { bomRef: 'shop', serialNumber: `s${index}` });
  const { artifacts } = app.module;
  const seen: string[] = [];
  let after: string | undefined;
  do {
    const page = await artifacts.list(viewer, { bomRef: 'shop', first: 2, after });
    seen.push(...page.items.map(({ serialNumber }) => serialNumber));
    const last = page.hasNextPage ? page.items.at(-1) : undefined;
    after = last && page.tokenAfter(last);
    if (after === undefined) break;
    const refused = { code: 'VAL_INVALID_FORMAT' };
    const flipped = (after.startsWith('A') ? 'B' : 'A') + after.slice(1);
    await assert.rejects(artifacts.list(viewer, { bomRef: 'shop', first: 2, after: flipped }), refused);
    await assert.rejects(artifacts.list(viewer, { bomRef: 'other', after }), refused);
    await assert.rejects(artifacts.list(stranger, { bomRef: 'shop', after }), refused);
  } while (after !== undefined);
  assert.deepEqual(seen.sort(), ['s0', 's1', 's2', 's3', 's4']);
});

test('one flipped byte anywhere is found, and the last chunk is withheld', async () => {
  await using app = await artifactApp();
  const { artifact } = await app.put(billOf());
  const [path = ''] = await app.files('objects');
  const whole = await readFile(path);
  const read = async () => buffer((await app.module.readArtifact(operator.tenant, artifact.artifactId)).stream);
  assert.deepEqual(await read(), whole);
  for (let at = 0; at < whole.length; at += 7) {
    const bytes = Buffer.from(whole);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    await writeFile(path, bytes);
    await assert.rejects(read(), { code: 'SYS_STORAGE_ERROR' });
  }
  for (const bytes of [whole.subarray(1), Buffer.concat([whole, Buffer.from(' ')])]) {
    await writeFile(path, bytes);
    await assert.rejects(read(), { code: 'SYS_STORAGE_ERROR' });
  }
  await rm(path);
  await symlink('/etc/hostname', path);
  await assert.rejects(read(), { code: 'SYS_STORAGE_ERROR' });
});

test('text of the content that PostgreSQL cannot take is left out with a note, and the evidence is kept', async () => {
  await using app = await artifactApp();
  const bill = billOf();
  const long = 'ü'.repeat(2_000_000 / 4);
  for (const serialNumber of ['urn:\0', `urn:\ud800`, long]) {
    const { artifact } = await app.put({ ...bill, serialNumber });
    assert.match(artifact.serialNumber, /^urn:uuid:/);
    assert.match(artifact.contentNote ?? '', /serial number is too long, or holds characters/);
  }
  const subject = [{ digest: { sha256: IMAGE.slice('sha256:'.length) } }];
  const statement = { _type: 'https://in-toto.io/Statement/v1', subject, predicateType: 'https://a.test/\0' };
  const { artifact } = await app.put(statement, { bomRef: 'statement' });
  assert.match(artifact.contentNote ?? '', /predicate type of 1 subjects/);
  await assert.rejects(app.put(bill, { bomRef: 'ü'.repeat(900) }), { code: 'VAL_TOO_LONG' });
});

test('damage that a reader finds is marked by the scrubber at once, and not only in its turn', async () => {
  await using app = await artifactApp();
  const { artifact } = await app.put(billOf());
  const { artifactId: id } = artifact;
  await writeFile(app.fileOf(artifact.storageKey), 'changed');
  assert.equal(await app.module.scrub.scrub(), 0);
  const read = async () => buffer((await app.module.readArtifact(operator.tenant, id)).stream);
  await assert.rejects(read(), { code: 'SYS_STORAGE_ERROR' });
  assert.equal(await app.module.scrub.scrub(), 1);
  assert.notEqual((await app.module.artifacts.get(viewer, { id })).corruptAt, null);
});

test('of many subjects as many are read as are shown, with the number of all', async () => {
  await using app = await artifactApp();
  const subject = Array.from({ length: 300 }, (_, at) => ({ digest: { sha256: at.toString(16).padStart(64, '0') } }));
  const statement = { _type: 'https://in-toto.io/Statement/v1', subject, predicateType: 'https://a.test/x' };
  const { artifact } = await app.put(statement, { bomRef: 'many' });
  const query = `query ($id: ID!) { artifact(id: $id) { subjects(first: 2) { totalCount items { digest } }
    more: subjects(first: 250) { totalCount items { digest } } } }`;
  const { data } = await app.graph(query, { id: artifact.artifactId }, { as: 'evidence-viewer' });
  const { subjects, more } = JSON.parse(JSON.stringify(data)).artifact;
  assert.deepEqual(
    [subjects.totalCount, subjects.items.length, more.totalCount, more.items.length],
    [300, 2, 300, 250],
  );
});

test('of the evidence of a release as much is read as is shown, the newest first, with the number of all', async () => {
  await using app = await artifactApp();
  const references = [{ kind: 'Release', id: RELEASE }] as const;
  for (const at of [1, 2, 3, 4]) {
    const document = { bomRef: `${at}`, serialNumber: 'one', content: Buffer.from(`{"at":${at}}`) };
    await app.module.putDocument(operator, { ...document, references });
    await app.clock.advance(1_000);
  }
  const [removed] = (await app.module.artifacts.list(viewer, { bomRef: '4' })).items;
  await app.module.retention.remove(admin, { id: removed?.artifactId ?? '', reason: 'It was put by mistake.' });
  const other = exampleId('Release');
  const rows = await app.module.artifacts.listOfThings(viewer, { kind: 'Release', ids: [RELEASE, other], first: 2 });
  assert.deepEqual(
    rows.map(({ entityId, bomRef, total }) => [entityId, bomRef, total]),
    [
      [RELEASE, '3', 3],
      [RELEASE, '2', 3],
    ],
  );
  const query = `query ($_representations: [_Any!]!) { _entities(representations: $_representations) {
    ... on Release { artifacts(first: 1) { totalCount items { bomRef } } } } }`;
  const _representations = [RELEASE, other].map((id) => ({ __typename: 'Release', id }));
  const { data } = await app.graph(query, { _representations }, { as: 'evidence-viewer' });
  assert.deepEqual(JSON.parse(JSON.stringify(data))._entities, [
    { artifacts: { totalCount: 3, items: [{ bomRef: '3' }] } },
    { artifacts: { totalCount: 0, items: [] } },
  ]);
});

test('evidence that is put again, made whole or brought back stays about the images that only the platform knew', async () => {
  await using app = await artifactApp();
  const { artifacts, retention, putDocument } = app.module;
  const bill = { bomFormat: 'CycloneDX', specVersion: '1.6', components: [] };
  const put = () => app.put(bill, { bomRef: 'shop', serialNumber: 'one' });
  const { artifact } = await put();
  const content = Buffer.from(JSON.stringify(bill));
  await putDocument(operator, { bomRef: 'shop', serialNumber: 'one', content, references: [], images: [IMAGE] });
  const versionsOfImage = async () =>
    (await artifacts.search(viewer, { subjectDigest: IMAGE })).items.map(({ version }) => version);
  assert.deepEqual(await versionsOfImage(), [1]);
  await writeFile(app.fileOf(artifact.storageKey), 'damaged');
  await put();
  assert.deepEqual(await versionsOfImage(), [2]);
  await retention.remove(admin, { id: artifact.artifactId, reason: 'It was put by mistake.' });
  await app.module.artifacts.put(admin, { bomRef: 'shop', serialNumber: 'one', content: content.toString('base64') });
  assert.deepEqual(await versionsOfImage(), [4]);
});
