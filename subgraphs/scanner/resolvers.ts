import { driftResolvers } from './drifts/resolvers.ts';
import type { Resolvers } from './generated.ts';
import { policyResolvers } from './manifests/resolvers.ts';
import { replayResolvers } from './replays/resolvers.ts';
import { scanResolvers } from './scans/resolvers.ts';

export const resolvers: Resolvers = {
  ...scanResolvers,
  ...replayResolvers,
  ...driftResolvers,
  Query: { ...scanResolvers.Query, ...policyResolvers.Query, ...driftResolvers.Query },
  Mutation: { ...replayResolvers.Mutation, ...policyResolvers.Mutation, ...driftResolvers.Mutation },
  Scan: { ...scanResolvers.Scan, ...replayResolvers.Scan, ...driftResolvers.Scan },
  ScorePolicy: policyResolvers.ScorePolicy,
};
