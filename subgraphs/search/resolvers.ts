import { adaptersResolvers } from './adapters/resolvers.ts';
import type { Resolvers } from './generated.ts';
import { corpusResolvers } from './imports/resolvers.ts';
import { qualityResolvers } from './quality/resolvers.ts';
import { queryResolvers } from './query/resolvers.ts';

export const resolvers: Resolvers = {
  ...queryResolvers,
  ...qualityResolvers,
  Query: { ...queryResolvers.Query, ...qualityResolvers.Query, ...corpusResolvers.Query, ...adaptersResolvers.Query },
  Mutation: { ...qualityResolvers.Mutation, ...corpusResolvers.Mutation, ...adaptersResolvers.Mutation },
};
