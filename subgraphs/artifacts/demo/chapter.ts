import type { DemoChapter, GraphSession } from '@landfall/kernel/demo/chapter';
import { until } from '@landfall/kernel/demo/graph-action';
import Type from 'typebox';

const Found = Type.Object({
  artifacts: Type.Object({ edges: Type.Array(Type.Object({ node: Type.Object({ id: Type.String() }) })) }),
});

/** Newest bill of materials of the store; undefined before one arrived. */
const findBill = async (session: GraphSession): Promise<string | undefined> => {
  const { artifacts } = await session.ask('{ artifacts(type: SBOM, first: 1) { edges { node { id } } } }', {}, Found);
  return artifacts.edges[0]?.node.id;
};

/** Waits until the bills of materials of the demo's scans have arrived in the store. */
export const artifactsChapter: DemoChapter = {
  order: 36,
  settings: () => ({ mountRetrieval: true }),
  open: async () => ({
    create: async ({ manager }) => ({ artifactId: await until('a bill of materials', () => findBill(manager)) }),
  }),
};
