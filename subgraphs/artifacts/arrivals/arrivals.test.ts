import assert from 'node:assert/strict';
import { test } from 'node:test';
import { event } from '@landfall/kernel/events/write';
import type { EvidenceReader } from '@landfall/kernel/module';
import { until } from '@landfall/kernel/testing/until';
import { artifactApp, billOf, IMAGE, RELEASE as KNOWN, operator, viewer } from '../testing/artifact-app.ts';

const SCAN = '0197c0de-0000-7000-8000-000000000001';
const RELEASE = '0197c0de-0000-7000-8000-000000000002';

/** Follows the platform until a condition holds: events below an open transaction of another test are not read yet. */
const followUntil = <T>({ module }: Awaited<ReturnType<typeof artifactApp>>, find: () => Promise<T | false>) =>
  until(
    async () => {
      await module.followPlatform();
      return find();
    },
    { withinMs: 20_000, everyMs: 20 },
  );

test('what the platform announces is put once, with the things that it is evidence of', async () => {
  let failures = 1;
  const read: EvidenceReader = async (_query, _tenant, { entityId }) => {
    // The first read fails: the document is tried again later.
    if (failures-- > 0) throw new Error('the database is away');
    return {
      bomRef: 'pkg:oci/shop',
      serialNumber: entityId,
      content: Buffer.from(JSON.stringify(billOf())),
      references: [
        { kind: 'Scan', id: entityId },
        { kind: 'Release', id: RELEASE },
      ],
    };
  };
  await using app = await artifactApp({ evidence: new Map([['scan.complete', read]]) });
  const { module, deps } = app;
  const complete = () =>
    deps.database.write(operator.tenant, (tx) =>
      event(tx, operator, 'scan.complete', { entity: 'Scan', id: SCAN, version: 1 }),
    );
  await complete();
  const failed = await followUntil(app, async () => {
    const page = await module.arrivals.failures(viewer, {});
    return page.items.length > 0 && page;
  });
  assert.deepEqual(
    failed.items.map(({ type, entityId, attempts, reason }) => [type, entityId, attempts, reason]),
    [['scan.complete', SCAN, 1, 'It could not be read or stored; the log of the server has the cause.']],
  );
  await module.followPlatform();
  assert.equal((await module.arrivals.failures(viewer, {})).items.length, 1, 'it waits a minute');
  await app.clock.advance(61_000);
  await module.followPlatform();
  assert.deepEqual((await module.arrivals.failures(viewer, {})).items, []);
  await complete();
  await module.followPlatform();
  await module.followPlatform();

  const found = await module.artifacts.listOfThings(viewer, { kind: 'Scan', ids: [SCAN] });
  assert.deepEqual(
    found.map(({ serialNumber, artifactType, createdBy }) => [serialNumber, artifactType, createdBy]),
    [[SCAN, 'Sbom', 'artifacts.arrivals']],
  );
  const query = `{ _entities(representations: [{ __typename: "Release", id: "${RELEASE}" }]) {
    ... on Release { artifacts { totalCount items { type bomRef subjects { totalCount } } } } } }`;
  const { data } = await app.graph(query, {}, { as: 'evidence-viewer' });
  assert.deepEqual(JSON.parse(JSON.stringify(data)), {
    _entities: [
      { artifacts: { totalCount: 1, items: [{ type: 'SBOM', bomRef: 'pkg:oci/shop', subjects: { totalCount: 1 } }] } },
    ],
  });
});

test('a document that can never be put keeps no other waiting, and is tried ever more rarely', async () => {
  const OTHER = '0197c0de-0000-7000-8000-000000000003';
  const read: EvidenceReader = async (_query, _tenant, { entityId }) => ({
    bomRef: entityId === SCAN ? '' : 'pkg:oci/shop',
    serialNumber: entityId === SCAN ? 'x'.repeat(501) : entityId,
    content: Buffer.from('{}'),
    references: [{ kind: 'Scan', id: entityId }],
    images: [IMAGE],
  });
  await using app = await artifactApp({ evidence: new Map([['scan.complete', read]]) });
  const { module, deps } = app;
  await deps.database.write(operator.tenant, async (tx) => {
    for (const id of [SCAN, OTHER]) await event(tx, operator, 'scan.complete', { entity: 'Scan', id, version: 1 });
  });
  const found = await followUntil(app, async () => {
    const artifacts = await module.artifacts.listOfThings(viewer, { kind: 'Scan', ids: [SCAN, OTHER] });
    return artifacts.length > 0 && artifacts;
  });
  assert.deepEqual(
    found.map(({ entityId }) => entityId),
    [OTHER],
  );
  // Found by the image that it is about, which the content does not name.
  const about = await module.artifacts.search(viewer, { subjectDigest: IMAGE });
  assert.equal(about.items.length, 1);
  await app.clock.advance(61_000);
  await module.followPlatform();
  await app.clock.advance(61_000);
  await module.followPlatform();
  const query = `{ evidenceArrivalFailures { edges { node { entityId attempts reason } } } }`;
  const { data } = await app.graph(query, {}, { as: 'evidence-viewer' });
  const reason = 'must be at most 500 bytes of UTF-8';
  assert.deepEqual(JSON.parse(JSON.stringify(data)), {
    evidenceArrivalFailures: { edges: [{ node: { entityId: SCAN, attempts: 2, reason } }] },
  });
});

test('the document that completes a deployment makes one bundle of it, with what names the deployment alone', async () => {
  const statement: EvidenceReader = async (_query, _tenant, { entityId, data }) => ({
    bomRef: `landfall:deployment:${RELEASE}`,
    serialNumber: entityId,
    content: Buffer.from(JSON.stringify({ statement: entityId })),
    references: [{ kind: 'Deployment', id: KNOWN }],
    ...(data.kind === 'deployment' && { completes: { kind: 'deployment', id: KNOWN } }),
  });
  await using app = await artifactApp({ evidence: new Map([['attestation.log', statement]]) });
  const { module, deps } = app;
  const log = (id: string, kind: string) =>
    deps.database.write(operator.tenant, (tx) =>
      event(tx, operator, 'attestation.log', { entity: 'Attestation', id, version: 1, data: { kind } }),
    );
  await app.put(billOf());
  await log(SCAN, 'verification_summary');
  await log(RELEASE, 'deployment');
  await log(RELEASE, 'deployment');
  const items = await followUntil(app, async () => {
    const page = await module.bundles.list(viewer, { subject: { kind: 'deployment', id: KNOWN } });
    return page.items.length > 0 && page.items;
  });
  await module.followPlatform();
  assert.deepEqual(
    items.map(({ artifactCount, createdBy }) => [artifactCount, createdBy]),
    [[3, 'artifacts.arrivals']],
  );
  const query = `{ _entities(representations: [{ __typename: "Deployment", id: "${KNOWN}" }]) {
    ... on Deployment { evidenceBundle { isEmpty artifactCount } } } }`;
  const { data } = await app.graph(query, {}, { as: 'evidence-viewer' });
  assert.deepEqual(JSON.parse(JSON.stringify(data)), {
    _entities: [{ evidenceBundle: { isEmpty: false, artifactCount: 3 } }],
  });
});

test('of several documents of one entity each is tried again', async () => {
  let isAway = true;
  const read: EvidenceReader = async (_query, _tenant, { entityId, data: { digest } }) => {
    if (isAway) throw new Error('away');
    return { bomRef: entityId, serialNumber: String(digest), content: Buffer.from(String(digest)), references: [] };
  };
  await using app = await artifactApp({ evidence: new Map([['vexDocument.import', read]]) });
  const { module, deps } = app;
  await deps.database.write(operator.tenant, async (tx) => {
    for (const digest of ['sha256:1', 'sha256:2'])
      await event(tx, operator, 'vexDocument.import', { entity: 'VexSource', id: SCAN, version: 1, data: { digest } });
  });
  await followUntil(app, async () => (await module.arrivals.failures(viewer, {})).items.length === 2);
  isAway = false;
  await app.clock.advance(61_000);
  await module.followPlatform();
  const { items } = await module.artifacts.list(viewer, { bomRef: SCAN });
  assert.deepEqual(items.map(({ serialNumber }) => serialNumber).sort(), ['sha256:1', 'sha256:2']);
  assert.deepEqual((await module.arrivals.failures(viewer, {})).items, []);
});
