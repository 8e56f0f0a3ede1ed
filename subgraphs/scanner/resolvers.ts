import { driftResolvers } from './drifts/resolvers.ts';
import type { Resolvers } from './generated.ts';
import { policyResolvers } from './manifests/resolvers.ts';
import { replayResolvers } from './replays/resolvers.ts';
import { scanResolvers } from './scans/resolvers.ts';
import { triageResolvers } from './triage/resolvers.ts';
import { vexResolvers } from './vex/resolvers.ts';

export const resolvers: Resolvers = {
  ...scanResolvers,
  ...replayResolvers,
  ...driftResolvers,
  ...vexResolvers,
  ...triageResolvers,
  Query: {
    ...scanResolvers.Query,
    ...policyResolvers.Query,
    ...driftResolvers.Query,
    ...vexResolvers.Query,
    ...triageResolvers.Query,
  },
  Mutation: {
    ...replayResolvers.Mutation,
    ...policyResolvers.Mutation,
    ...driftResolvers.Mutation,
    ...vexResolvers.Mutation,
    ...triageResolvers.Mutation,
  },
  Scan: { ...scanResolvers.Scan, ...replayResolvers.Scan, ...driftResolvers.Scan, ...triageResolvers.Scan },
  ScanFinding: {
    ...scanResolvers.ScanFinding,
    ...driftResolvers.ScanFinding,
    ...vexResolvers.ScanFinding,
    ...triageResolvers.ScanFinding,
  },
  ScorePolicy: policyResolvers.ScorePolicy,
};
