import { sha256 } from '@landfall/kernel/crypto/digest';
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

/** Seeds a bill of materials, a bundle of it and a complete export of the bundle. */
const create = async (store: ArtifactStore, { owner, mark }: SeedContext) => {
  const { artifacts, bundles, exports, makeExport, stageStream } = store;
  const { artifact } = await artifacts.put(owner, { content: contentOf(billOf(mark)), serialNumber: mark });
  const bundle = await bundles.create(owner, { artifactIds: [artifact.artifactId] });
  const { id: exportId } = await exports.request(owner, { bundleId: bundle.id });
  await makeExport();
  return {
    ids: {
      Artifact: artifact.artifactId,
      ArtifactReceipt: await stageStream(owner, chunksOf('{}')),
      EvidenceBundle: bundle.id,
      EvidenceExport: exportId,
    },
    inputs: {
      'artifact.list': { bomRef: artifact.bomRef },
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
    'artifact.listSubjects': 'any caller of the tenant reads the index (spec 4.5)',
  },
  values: { bomRef: 'pkg:oci/shop', content: contentOf('{}'), contentType: 'application/json', ArtifactType: 'SBOM' },
};
