import type { Resolvers } from '../../generated.ts';
import { labelsOfAny } from './portfolio.ts';
import { statesOf } from './product-states.ts';

export const portfolioResolvers = {
  Query: {
    portfolio: (_, args, { caller, orchestrator }) => orchestrator.portfolio.get(caller, args),
  },
  Portfolio: {
    ownerGroups: ({ choices }) => [...new Set(choices.flatMap(({ ownerGroups }) => ownerGroups))].toSorted(),
    labels: ({ choices }) => labelsOfAny(choices),
  },
  ProductInEnvironment: {
    states: async (place, _, { loaders }) => {
      const [[observed], [newest = null], promotions] = await Promise.all([
        loaders.stateOfProduct.load(place),
        loaders.newestDeployment.load(place),
        loaders.promotionsUnderWay.load(place),
      ]);
      return statesOf({ estate: observed?.state ?? null, newest, promotions: promotions.length });
    },
  },
} satisfies Resolvers;
