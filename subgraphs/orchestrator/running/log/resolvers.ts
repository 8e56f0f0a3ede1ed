import type { Resolvers } from '../../generated.ts';

export const logResolvers = {
  DeploymentTarget: {
    log: ({ deploymentId, targetId }, page, { caller, orchestrator }) =>
      orchestrator.logs.log(caller, { deploymentId, targetId, ...page }),
  },
} satisfies Resolvers;
