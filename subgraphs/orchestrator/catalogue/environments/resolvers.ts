import type { Resolvers } from '../../generated.ts';

export const environmentResolvers: Resolvers = {
  Query: {
    environments: (_, _args, { caller, orchestrator }) => orchestrator.environments.list(caller, {}),
    environment: (_, args, { caller, orchestrator }) => orchestrator.environments.get(caller, args),
  },
  Mutation: {
    createEnvironment: (_, { input }, { caller, orchestrator }) => orchestrator.environments.create(caller, input),
    updateEnvironment: (_, { input }, { caller, orchestrator }) => orchestrator.environments.update(caller, input),
  },
  Environment: {
    __resolveReference: ({ id }, { loaders }) => loaders.environment.load(id),
    targets: ({ id }, _, { loaders }) => loaders.targetsOfEnvironment.load(id),
  },
};
