import type { Resolvers } from '../../generated.ts';

export const custodyResolvers: Resolvers = {
  Query: {
    custody: (_, args, { caller, orchestrator }) => orchestrator.custody.get(caller, args),
  },
  Release: {
    custody: ({ id }, _, { loaders }) => loaders.custody.load(id),
  },
  Custody: {
    release: ({ releaseId }, _, { loaders }) => loaders.release.get(releaseId),
  },
  CustodyStatement: {
    environment: ({ environmentId }, _, { loaders }) => environmentId && loaders.environment.get(environmentId),
    deployment: ({ deploymentId }, _, { loaders }) => deploymentId && loaders.deployment.load(deploymentId),
    attestation: ({ attestationId }, _, { loaders }) => attestationId && loaders.attestation.load(attestationId),
  },
};
