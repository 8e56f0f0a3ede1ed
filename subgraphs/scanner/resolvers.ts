import { driftResolvers } from './drifts/resolvers.ts';
import type { Resolvers } from './generated.ts';
import { policyResolvers } from './manifests/resolvers.ts';
import { replayResolvers } from './replays/resolvers.ts';
import { scanResolvers } from './scans/resolvers.ts';
import { vexResolvers } from './vex/resolvers.ts';

export const resolvers: Resolvers = {
  ...scanResolvers,
  ...replayResolvers,
  ...driftResolvers,
  ...vexResolvers,
  Query: { ...scanResolvers.Query, ...policyResolvers.Query, ...driftResolvers.Query, ...vexResolvers.Query },
  Mutation: {
    ...replayResolvers.Mutation,
    ...policyResolvers.Mutation,
    ...driftResolvers.Mutation,
    ...vexResolvers.Mutation,
  },
  Scan: { ...scanResolvers.Scan, ...replayResolvers.Scan, ...driftResolvers.Scan },
  ScanFinding: { ...scanResolvers.ScanFinding, ...driftResolvers.ScanFinding, ...vexResolvers.ScanFinding },
  ScorePolicy: policyResolvers.ScorePolicy,
};
