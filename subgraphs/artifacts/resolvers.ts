import { arrivalResolvers } from './arrivals/resolvers.ts';
import { bundleResolvers } from './bundles/resolvers.ts';
import { completenessResolvers } from './completeness/resolvers.ts';
import { custodyResolvers } from './custody/resolvers.ts';
import { exportResolvers } from './exports/resolvers.ts';
import type { Resolvers } from './generated.ts';
import { recordResolvers } from './records/resolvers.ts';

export const resolvers: Resolvers = {
  ...recordResolvers,
  ...bundleResolvers,
  ...exportResolvers,
  ...custodyResolvers,
  ...completenessResolvers,
  ...arrivalResolvers,
  Release: { ...recordResolvers.Release, ...completenessResolvers.Release },
  Deployment: { ...recordResolvers.Deployment, ...bundleResolvers.Deployment },
  Query: { ...recordResolvers.Query, ...bundleResolvers.Query, ...custodyResolvers.Query, ...arrivalResolvers.Query },
  Mutation: {
    ...recordResolvers.Mutation,
    ...bundleResolvers.Mutation,
    ...exportResolvers.Mutation,
    ...custodyResolvers.Mutation,
  },
};
