import type { DemoChapter, GraphSession } from '@landfall/kernel/demo/chapter';
import { until } from '@landfall/kernel/demo/graph-action';
import Type, { type Static } from 'typebox';

const Bill = Type.Object({ id: Type.String(), bomRef: Type.String() });
const Found = Type.Object({
  artifacts: Type.Object({ edges: Type.Array(Type.Object({ node: Bill })) }),
});
const Created = Type.Object({ createEvidenceBundle: Type.Object({ id: Type.String() }) });

const CREATE_BUNDLE = `mutation ($artifact: ID!) {
  createEvidenceBundle(input: { artifactIds: [$artifact], idempotencyKey: "demo" }) { id }
}`;

/** Newest bill of materials of the store; undefined before one arrived. */
const findBill = async (session: GraphSession): Promise<Static<typeof Bill> | undefined> => {
  const { artifacts } = await session.ask(
    '{ artifacts(type: SBOM, first: 1) { edges { node { id bomRef } } } }',
    {},
    Found,
  );
  return artifacts.edges[0]?.node;
};

/** Waits until the bills of materials of the demo's scans have arrived in the store, and bundles one of them. */
export const artifactsChapter: DemoChapter = {
  order: 36,
  settings: () => ({ mountRetrieval: true }),
  open: async () => ({
    async create({ manager }) {
      const { id, bomRef } = await until('a bill of materials', () => findBill(manager));
      const { createEvidenceBundle: bundle } = await manager.ask(CREATE_BUNDLE, { artifact: id }, Created);
      return { artifactId: id, artifactBomRef: bomRef, bundleId: bundle.id };
    },
  }),
};
