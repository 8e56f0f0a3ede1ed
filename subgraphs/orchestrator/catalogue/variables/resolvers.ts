import type { Resolvers } from '../../generated.ts';
import { userOf } from '../../shared/user-reference.ts';

export const variableResolvers: Resolvers = {
  Mutation: {
    saveVariableSet: (_, { input }, { caller, orchestrator }) => orchestrator.variableSets.save(caller, input),
  },
  Environment: {
    variableSet: async ({ id }, _, { loaders }) => (await loaders.newestVariableSetOfEnvironment.load(id))[0] ?? null,
    variableSets: ({ id }, _, { loaders }) => loaders.variableSetsOfEnvironment.load(id),
  },
  VariableSet: {
    environment: ({ environmentId }, _, { loaders }) => loaders.environment.get(environmentId),
    createdBy: ({ createdBy }) => userOf(createdBy),
  },
};
