import { connectionOf } from '@landfall/kernel/operation/page';
import type { Resolvers } from '../generated.ts';

const userOf = (id: string) => ({ __typename: 'User' as const, id });

export const custodyResolvers = {
  Query: {
    retentionPlan: (_, _args, { caller, retention }) => retention.plan(caller, {}),
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
    placedBy: ({ placedBy }) => userOf(placedBy),
    endedBy: ({ endedBy }) => (endedBy === null ? null : userOf(endedBy)),
  },
  EvidenceDisposal: {
    disposedBy: ({ disposedBy }) => userOf(disposedBy),
    envelope: ({ envelope }) => JSON.stringify(envelope),
  },
  RetentionDecision: {
    artifactId: ({ artifact }) => artifact.artifactId,
    bomRef: ({ artifact }) => artifact.bomRef,
    sizeBytes: ({ artifact }) => artifact.sizeBytes,
    retainedUntil: ({ artifact }) => artifact.retainedUntil,
    keptBy: ({ keptBy }) => [...keptBy],
  },
} satisfies Resolvers;
