import type { Resolvers } from './generated.ts';
import { qualityResolvers } from './quality/resolvers.ts';
import { queryResolvers } from './query/resolvers.ts';

export const resolvers: Resolvers = {
  ...queryResolvers,
  ...qualityResolvers,
  Query: { ...queryResolvers.Query, ...qualityResolvers.Query },
};
