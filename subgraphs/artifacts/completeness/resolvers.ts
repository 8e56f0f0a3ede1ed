import type { Resolvers } from '../generated.ts';

export const completenessResolvers = {
  Release: {
    evidenceCompleteness: ({ id }, { environmentId }, { loaders }) => loaders.completenessIn(environmentId)(id),
  },
  EvidenceCompleteness: {
    environment: ({ environmentId }) => ({ __typename: 'Environment' as const, id: environmentId }),
    isComplete: ({ requirements }) => requirements.every(({ state }) => state === 'present'),
  },
  EvidenceAssessment: {
    artifact: ({ artifactId }, _, { loaders }) => (artifactId === null ? null : loaders.artifact(artifactId)),
  },
} satisfies Resolvers;
