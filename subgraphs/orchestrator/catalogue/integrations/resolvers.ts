import type { Resolvers } from '../../generated.ts';
import { lastProbe } from './probe.ts';

export const integrationResolvers: Resolvers = {
  Query: {
    integrations: (_, _args, { caller, orchestrator }) => orchestrator.integrations.list(caller, {}),
  },
  Mutation: {
    createIntegration: (_, { input }, { caller, orchestrator }) => orchestrator.integrations.create(caller, input),
    tryIntegration: (_, { input }, { caller, orchestrator }) => orchestrator.integrations.try(caller, input),
    updateIntegration: (_, { input }, { caller, orchestrator }) => orchestrator.integrations.update(caller, input),
    disableIntegration: (_, { input }, { caller, orchestrator }) => orchestrator.integrations.disable(caller, input),
    enableIntegration: (_, { input }, { caller, orchestrator }) => orchestrator.integrations.enable(caller, input),
    removeIntegration: (_, { input }, { caller, orchestrator }) => orchestrator.integrations.remove(caller, input),
    testIntegration: (_, { input }, { caller, orchestrator }) => orchestrator.integrations.test(caller, input),
  },
  Integration: {
    __resolveReference: ({ id }, { loaders }) => loaders.integration.load(id),
    lastProbe,
    hasCredentials: ({ credentials }) => credentials !== null,
  },
};
