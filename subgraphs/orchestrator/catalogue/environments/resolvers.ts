import type { Resolvers } from '../../generated.ts';
import { permission } from '../../shared/permission.ts';
import { removeRefusal } from './environment-rules.ts';

export const environmentResolvers: Resolvers = {
  Query: {
    environments: (_, _args, { caller, orchestrator }) => orchestrator.environments.list(caller, {}),
    environment: (_, args, { caller, orchestrator }) => orchestrator.environments.get(caller, args),
  },
  Mutation: {
    createEnvironment: (_, { input }, { caller, orchestrator }) => orchestrator.environments.create(caller, input),
    updateEnvironment: (_, { input }, { caller, orchestrator }) => orchestrator.environments.update(caller, input),
    removeEnvironment: (_, { input }, { caller, orchestrator }) => orchestrator.environments.remove(caller, input),
  },
  Environment: {
    __resolveReference: ({ id }, { loaders }) => loaders.environment.load(id),
    targets: ({ id }, _, { loaders }) => loaders.targetsOfEnvironment.load(id),
    viewerCanRemove: ({ id }, _, { caller, loaders, orchestrator }) =>
      permission(caller, orchestrator.environments.remove.spec, async () =>
        removeRefusal(await loaders.usesOfEnvironment.load(id)),
      ),
  },
};
