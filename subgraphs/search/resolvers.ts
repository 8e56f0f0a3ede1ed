import type { Resolvers } from './generated.ts';
import { qualityResolvers } from './quality/resolvers.ts';

export const resolvers: Resolvers = {
  Query: { ...qualityResolvers.Query },
  Mutation: { ...qualityResolvers.Mutation },
  SearchAlert: qualityResolvers.SearchAlert,
};
