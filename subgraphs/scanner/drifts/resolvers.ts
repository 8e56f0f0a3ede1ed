import type { Resolvers } from '../generated.ts';
import { driftRecordOf } from './drift-view.ts';
import { sinkConnection } from './sink-connection.ts';

/** Values of the graph's enums, which have no hyphens. */
const SINK_KIND = { 'vuln-symbol': 'vuln_symbol', 'dangerous-api': 'dangerous_api' } as const;
const CONFIDENCE = {
  static: 'static',
  'dynamic-dispatch': 'dynamic_dispatch',
  'reflective-guess': 'reflective_guess',
} as const;

export const driftResolvers = {
  Query: {
    drift: (_, args, { caller, drifts }) => drifts.get(caller, args),
  },
  Mutation: {
    computeReachability: (_, { input }, { caller, jobs }) => jobs.compute(caller, input),
  },
  Scan: {
    callGraphs: ({ id }, _, { loaders }) => loaders.callGraphsOfScan(id),
    drift: ({ id }, args, { caller, drifts }) => drifts.compare(caller, { ...args, scanId: id }),
  },
  ScanFinding: {
    reachabilityStatements: (finding, _, { loaders }) => loaders.reachabilityOfFinding(finding),
  },
  CallGraph: {
    symbolCount: ({ symbols }) => symbols,
    edgeCount: ({ edges }) => edges,
    entryCount: ({ entries }) => entries,
    sinkCount: ({ sinks }) => sinks,
    importedBy: ({ importedBy }) => ({ id: importedBy }),
    reachabilityJob: (graph, _, { loaders }) => loaders.jobOfGraph(graph),
    findings: async (graph, _, { loaders }) => {
      const counts = await loaders.findingCountsOfGraph(graph);
      return counts && { ...counts, potentiallyReachable: counts.potentially_reachable };
    },
  },
  ReachabilityJob: {
    requestedBy: ({ requestedBy }) => ({ id: requestedBy }),
  },
  Drift: {
    __resolveReference: (drift, { caller, drifts }) => drifts.get(caller, drift),
    scan: ({ headScan }, _, { caller, scans }) => scans.get(caller, { id: headScan }),
    baseScan: ({ baseScan }, _, { caller, scans }) => scans.get(caller, { id: baseScan }),
    counts: ({ drift }) => drift.counts,
    headCoverage: ({ drift }) => drift.coverage.head,
    baseCoverage: ({ drift }) => drift.coverage.base,
    headGraphHash: ({ drift }) => drift.headGraphHash,
    baseGraphHash: ({ drift }) => drift.baseGraphHash,
    resultDigest: (stored) => driftRecordOf(stored).resultDigest,
    sinks: sinkConnection,
  },
  DriftSink: {
    id: ({ sinkId }) => sinkId,
    kind: ({ kind }) => SINK_KIND[kind],
    confidence: ({ confidence }) => CONFIDENCE[confidence],
  },
  CallPathStep: {
    symbol: (step) => (typeof step === 'string' ? step : null),
    elided: (step) => (typeof step === 'string' ? null : step.elided),
  },
} satisfies Resolvers;
