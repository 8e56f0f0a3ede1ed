import assert from 'node:assert/strict';
import { test } from 'node:test';
import { event } from '@landfall/kernel/events/write';
import type { EvidenceReader } from '@landfall/kernel/module';
import { artifactApp, billOf, operator, viewer } from '../testing/artifact-app.ts';

const SCAN = '0197c0de-0000-7000-8000-000000000001';
const RELEASE = '0197c0de-0000-7000-8000-000000000002';

test('what the platform announces is put once, with the things that it is evidence of', async () => {
  let failures = 1;
  const read: EvidenceReader = async (_query, _tenant, { entityId }) => {
    // The first read fails: the event is read again in the next turn.
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
  await assert.rejects(module.followPlatform(), /away/);
  await module.followPlatform();
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
