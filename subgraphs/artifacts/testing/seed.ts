import { randomUUID } from 'node:crypto';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { sql } from '@landfall/kernel/db/sql';
import type { Seed, SeedContext } from '@landfall/kernel/operation/seed';
import type { ArtifactStore } from '../index.ts';

/** Bill of materials of an image of the owner. */
const billOf = (mark: string): string =>
  JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component: { type: 'container', name: mark, purl: `pkg:oci/${mark}@${sha256(mark)}` } },
    components: [],
  });

const contentOf = (text: string): string => Buffer.from(text).toString('base64');

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Seeds an artifact that was disposed of, and one that a hold keeps after its retention. */
const endRetention = async ({ holds, retention }: ArtifactStore, { deps, owner, mark }: SeedContext) => {
  for (const name of ['disposed of', 'kept']) {
    const artifactId = randomUUID();
    const bomRef = `${mark} ${name}`;
    await deps.database.write(owner.tenant, (tx) =>
      tx.run(sql`/* evidence.artifact_index.seedEnded */
        insert into evidence.artifact_index (tenant, artifact_id, artifact_type, storage_key, bom_ref, serial_number,
          sha256, size_bytes, content_type, created_by, retain_until)
        values (${owner.tenant}, ${artifactId}, 'Other', ${artifactId}, ${bomRef}, ${mark}, ${sha256(bomRef)}, 1,
          'application/json', ${owner.subject}, kernel.now() - interval '1 second')`),
    );
    if (name === 'kept') await holds.place(owner, { artifactId, reason: `The audit of ${mark}.` });
  }
  await retention.run(owner, {});
};

/** Seeds a bill of materials, a bundle of it and of a release, and a complete export of the first. */
const create = async (store: ArtifactStore, context: SeedContext) => {
  const { owner, mark, ids, deps } = context;
  const { artifacts, bundles, exports, holds, makeExport, stageStream } = store;
  const { artifact } = await artifacts.put(owner, { content: contentOf(billOf(mark)), serialNumber: mark });
  const spare = await artifacts.put(owner, { content: contentOf(billOf(mark)), serialNumber: `${mark} again` });
  const hold = await holds.place(owner, { artifactId: artifact.artifactId, reason: `The audit of ${mark}.` });
  await endRetention(store, context);
  await store.putDocument(owner, {
    bomRef: mark,
    serialNumber: `${mark} of a release`,
    content: Buffer.from(billOf(mark)),
    references: [{ kind: 'Release', id: String(ids.Release) }],
  });
  const [referring] = (await artifacts.list(owner, { bomRef: mark })).items;
  const bundle = await bundles.create(owner, { artifactIds: [artifact.artifactId] });
  const { id: exportId } = await exports.request(owner, { bundleId: bundle.id });
  await makeExport();
  if (ids.Release !== undefined) await bundles.create(owner, { subject: { kind: 'release', id: ids.Release } });
  const who = { ...owner, subject: 'artifacts.arrivals' };
  const deployment = { kind: 'deployment', id: String(ids.Deployment) } as const;
  if (ids.Deployment !== undefined)
    await deps.database.write(owner.tenant, (tx) => bundles.ensureOf(tx, who, deployment));
  await deps.database.system.write((tx) =>
    tx.run(sql`/* evidence.arrival_failures.seed */
      insert into evidence.arrival_failures (tenant, id, type, entity_id, correlation_id, data, reason, retry_at)
      values (${owner.tenant}, gen_random_uuid(), 'scan.complete', ${mark}, ${mark}, '{}', ${mark}, kernel.now() + interval '1 day')`),
  );
  return {
    ids: {
      Artifact: artifact.artifactId,
      ArtifactReceipt: await stageStream(owner, chunksOf('{}')),
      EvidenceBundle: bundle.id,
      EvidenceHold: hold.id,
      SpareArtifact: spare.artifact.artifactId,
      ReferringArtifact: String(referring?.artifactId),
      EvidenceExport: exportId,
    },
    inputs: {
      'artifact.delete': { id: spare.artifact.artifactId, reason: 'It was put by mistake.' },
      'artifact.list': { bomRef: artifact.bomRef },
      'artifact.listReferences': { ids: [String(referring?.artifactId)] },
      'bundle.listOfDeployments': { ids: [deployment.id] },
    },
  };
};

export const artifactsSeed: Seed<ArtifactStore> = {
  order: 70,
  create,
  unscoped: {
    'artifact.list': 'any caller of the tenant reads the index (spec 4.5)',
    'artifact.search': 'any caller of the tenant reads the index (spec 4.5)',
    'artifact.get': 'any caller of the tenant reads the index (spec 4.5)',
    'artifact.listOfThings': 'any caller of the tenant reads the index (spec 4.5)',
    'artifact.listOfIds': 'any caller of the tenant reads the index (spec 4.5)',
    'artifact.listReferences': 'any caller of the tenant reads the index (spec 4.5)',
    'artifact.listSubjects': 'any caller of the tenant reads the index (spec 4.5)',
  },
  values: {
    bomRef: 'pkg:oci/shop',
    content: contentOf('{}'),
    contentType: 'application/json',
    until: '2046-01-15T09:00:00.000Z',
    ArtifactType: 'SBOM',
  },
};
