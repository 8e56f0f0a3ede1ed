import type { Resolvers } from '../../generated.ts';
import { lastProbe } from '../integrations/probe.ts';

export const secretResolvers: Resolvers = {
  Query: {
    secrets: (_, _args, { caller, orchestrator }) => orchestrator.secrets.list(caller, {}),
    secretProviders: (_, _args, { caller, orchestrator }) => orchestrator.secretProviders.list(caller, {}),
  },
  Mutation: {
    saveSecret: (_, { input }, { caller, orchestrator }) => orchestrator.secrets.save(caller, input),
    createSecretProvider: (_, { input }, { caller, orchestrator }) =>
      orchestrator.secretProviders.create(caller, input),
    trySecretProvider: (_, { input }, { caller, orchestrator }) => orchestrator.secretProviders.try(caller, input),
    updateSecretProvider: (_, { input }, { caller, orchestrator }) =>
      orchestrator.secretProviders.update(caller, input),
    disableSecretProvider: (_, { input }, { caller, orchestrator }) =>
      orchestrator.secretProviders.disable(caller, input),
    enableSecretProvider: (_, { input }, { caller, orchestrator }) =>
      orchestrator.secretProviders.enable(caller, input),
    removeSecretProvider: (_, { input }, { caller, orchestrator }) =>
      orchestrator.secretProviders.remove(caller, input),
    testSecretProvider: (_, { input }, { caller, orchestrator }) => orchestrator.secretProviders.test(caller, input),
  },
  SecretProvider: {
    __resolveReference: ({ id }, { loaders }) => loaders.secretProvider.load(id),
    lastProbe,
  },
};
