import type { Resolvers } from '../../generated.ts';

export const admissionResolvers: Resolvers = {
  Query: {
    trustedSigners: (_, _args, { caller, orchestrator }) => orchestrator.trustedSigners.list(caller, {}),
    imageAdmission: (_, args, { caller, orchestrator }) => orchestrator.imageAdmission.check(caller, args),
  },
  Mutation: {
    createTrustedSigner: (_, { input }, { caller, orchestrator }) => orchestrator.trustedSigners.create(caller, input),
    removeTrustedSigner: (_, { input }, { caller, orchestrator }) => orchestrator.trustedSigners.remove(caller, input),
    readImageStatements: (_, { input }, { caller, orchestrator }) => orchestrator.imageStatements.read(caller, input),
  },
};
