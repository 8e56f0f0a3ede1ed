import type { Resolvers } from '../generated.ts';
import { graphWordOf, typeOfGraphWord } from '../shared/artifact-type.ts';
import type { ArtifactPage } from './artifacts.ts';

/** Page as a connection; its cursors are signed. */
const connectionOf = ({ items, hasNextPage, tokenAfter }: ArtifactPage) => {
  const last = items.at(-1);
  return {
    edges: items.map((node) => ({ cursor: tokenAfter(node), node })),
    pageInfo: { hasNextPage, endCursor: last ? tokenAfter(last) : null },
  };
};

/** First items of a list, and the number of all. */
const listOf = <T>(items: readonly T[], first: number | null | undefined) => ({
  totalCount: items.length,
  items: items.slice(0, first ?? 20),
});

export const recordResolvers = {
  Query: {
    artifacts: async (_, { type, ...args }, { caller, artifacts }) =>
      connectionOf(await artifacts.search(caller, { ...args, type: typeOfGraphWord(type) })),
    artifact: (_, args, { caller, artifacts }) => artifacts.get(caller, args),
  },
  Mutation: {
    putArtifact: (_, { input: { type, ...input } }, { caller, artifacts }) =>
      artifacts.put(caller, { ...input, type: typeOfGraphWord(type) }),
  },
  Artifact: {
    // A reference has the key of the graph, whatever the name of its column.
    __resolveReference: (reference, { caller, artifacts }) =>
      artifacts.get(caller, { id: Reflect.get(reference, 'id') }),
    id: ({ artifactId }) => artifactId,
    type: ({ artifactType }) => graphWordOf(artifactType),
    holds: ({ artifactId }, _args, { loaders }) => loaders.holdsOf(artifactId),
    createdBy: ({ createdBy }) => ({ __typename: 'User' as const, id: createdBy }),
    subjects: async ({ artifactId }, { first }, { loaders }) => {
      const items = await loaders.subjectsOf(first ?? 20)(artifactId);
      return { totalCount: items[0]?.total ?? 0, items };
    },
  },
  Release: { artifacts: async ({ id }, { first }, { loaders }) => listOf(await loaders.ofRelease(id), first) },
  Deployment: { artifacts: async ({ id }, { first }, { loaders }) => listOf(await loaders.ofDeployment(id), first) },
  Scan: { artifacts: async ({ id }, { first }, { loaders }) => listOf(await loaders.ofScan(id), first) },
  ArtifactSubject: { algorithm: ({ digestAlg }) => digestAlg },
} satisfies Resolvers;
