import { connectionOf } from '@landfall/kernel/operation/page';
import type { Resolvers } from '../generated.ts';
import { aboutOf } from '../records/about.ts';
import { graphWordOf } from '../shared/artifact-type.ts';

const userOf = (id: string) => ({ __typename: 'User' as const, id });

export const custodyResolvers = {
  Query: {
    retentionPlan: (_, _args, { caller, retention }) => retention.plan(caller, {}),
    evidenceHolds: async (_, args, { caller, holds }) => connectionOf(await holds.list(caller, args)),
    evidenceDisposals: async (_, args, { caller, retention }) => connectionOf(await retention.disposals(caller, args)),
  },
  Mutation: {
    placeEvidenceHold: (_, { input }, { caller, holds }) => holds.place(caller, input),
    endEvidenceHold: (_, { input }, { caller, holds }) => holds.end(caller, input),
    retainArtifact: async (_, { input }, { caller, retention, artifacts }) => {
      await retention.extend(caller, input);
      return artifacts.get(caller, { id: input.id });
    },
    deleteArtifact: (_, { input }, { caller, retention }) => retention.remove(caller, input),
    runRetention: (_, { input }, { caller, retention }) => retention.run(caller, input),
  },
  EvidenceHold: {
    artifact: ({ artifactId }, _args, { loaders }) => loaders.artifact(artifactId),
    placedBy: ({ placedBy }) => userOf(placedBy),
    endedBy: ({ endedBy }) => (endedBy === null ? null : userOf(endedBy)),
  },
  EvidenceDisposal: {
    about: aboutOf,
    disposedBy: ({ disposedBy }) => userOf(disposedBy),
    envelope: ({ envelope }) => JSON.stringify(envelope),
  },
  RetentionDecision: {
    type: ({ artifactType }) => graphWordOf(artifactType),
    about: aboutOf,
  },
} satisfies Resolvers;
