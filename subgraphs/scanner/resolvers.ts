import type { Resolvers } from './generated.ts';
import { scanResolvers } from './scans/resolvers.ts';

export const resolvers: Resolvers = {
  ...scanResolvers,
};
