import { bundleResolvers } from './bundles/resolvers.ts';
import { exportResolvers } from './exports/resolvers.ts';
import type { Resolvers } from './generated.ts';
import { recordResolvers } from './records/resolvers.ts';

export const resolvers: Resolvers = {
  ...recordResolvers,
  ...bundleResolvers,
  ...exportResolvers,
  Query: { ...recordResolvers.Query, ...bundleResolvers.Query },
  Mutation: { ...recordResolvers.Mutation, ...bundleResolvers.Mutation, ...exportResolvers.Mutation },
};
