import type { Resolvers } from '../../generated.ts';

export const transparencyLogResolvers = {
  Query: {
    transparencyLog: (_, _arguments, { caller, orchestrator }) => orchestrator.transparencyLogs.get(caller, {}),
  },
} satisfies Resolvers;
