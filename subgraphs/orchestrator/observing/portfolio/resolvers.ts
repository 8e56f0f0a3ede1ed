import type { Resolvers } from '../../generated.ts';

export const portfolioResolvers = {
  Query: {
    portfolio: (_, args, { caller, orchestrator }) => orchestrator.portfolio.get(caller, args),
  },
} satisfies Resolvers;
