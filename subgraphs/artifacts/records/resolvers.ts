import type { Context } from '../context.ts';
import type { Resolvers } from '../generated.ts';
import { graphWordOf, typeOfGraphWord } from '../shared/artifact-type.ts';
import { type EntityKey, entityOf } from '../shared/evidence-subject.ts';
import { aboutOf } from './about.ts';
import type { ArtifactPage } from './artifacts.ts';

/** Page as a connection; its cursors are signed. */
const connectionOf = ({ items, hasNextPage, tokenAfter }: ArtifactPage) => {
  const last = items.at(-1);
  return {
    edges: items.map((node) => ({ cursor: tokenAfter(node), node })),
    pageInfo: { hasNextPage, endCursor: last ? tokenAfter(last) : null },
  };
};

/** Rows that each have the number of all, as a list. */
const countedList = <T extends { readonly total: number }>(items: readonly T[]) => ({
  totalCount: items[0]?.total ?? 0,
  items: [...items],
});

const REFERENCE_WORDS = { Release: 'release', Deployment: 'deployment', Scan: 'scan' } as const;

/** Evidence of a thing, for its type. */
const evidenceOf = (kind: keyof typeof REFERENCE_WORDS) => ({
  artifacts: async ({ id }: EntityKey, { first }: { readonly first?: number | null }, { loaders }: Context) =>
    countedList(await loaders.ofThings[kind](first ?? 20)(id)),
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
    about: aboutOf,
    holds: ({ artifactId }, _args, { loaders }) => loaders.holdsOf(artifactId),
    createdBy: ({ createdBy }) => ({ __typename: 'User' as const, id: createdBy }),
    subjects: async ({ artifactId }, { first }, { loaders }) =>
      countedList(await loaders.subjectsOf(first ?? 20)(artifactId)),
    references: async ({ artifactId }, { first }, { loaders }) =>
      countedList(await loaders.referencesOf(first ?? 20)(artifactId)),
    bundles: async ({ artifactId }, { first }, { loaders }) =>
      countedList(await loaders.bundlesOf(first ?? 20)(artifactId)),
    retention: ({ artifactId }, _args, { loaders }) => loaders.retentionOf(artifactId),
  },
  Release: evidenceOf('Release'),
  Deployment: evidenceOf('Deployment'),
  Scan: evidenceOf('Scan'),
  ArtifactReference: {
    kind: ({ kind }) => REFERENCE_WORDS[kind],
    id: ({ entityId }) => entityId,
    release: ({ kind, entityId }) => entityOf('Release', kind, entityId),
    deployment: ({ kind, entityId }) => entityOf('Deployment', kind, entityId),
    scan: ({ kind, entityId }) => entityOf('Scan', kind, entityId),
  },
  ArtifactSubject: { algorithm: ({ digestAlg }) => digestAlg },
} satisfies Resolvers;
