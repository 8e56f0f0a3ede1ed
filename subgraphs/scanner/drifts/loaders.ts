import { createBatch } from '@landfall/kernel/core/batch';
import type { Caller } from '@landfall/kernel/core/caller';
import type { CallGraph } from './call-graphs.store.ts';
import type { CallGraphs } from './call-graphs.ts';
import type { FindingReachability } from './finding-reachability.store.ts';
import type { ReachabilityJobs } from './reachability-jobs.ts';

type GraphKey = Pick<CallGraph, 'scanId' | 'language'>;

const isOf =
  ({ scanId, language }: GraphKey) =>
  (row: GraphKey): boolean =>
    row.scanId === scanId && row.language === language;

const scanIdsOf = (keys: readonly GraphKey[]): readonly string[] => [...new Set(keys.map(({ scanId }) => scanId))];

type FindingKey = Pick<FindingReachability, 'scanId' | 'findingId'>;

const keyOf = ({ scanId, findingId }: FindingKey): string => `${scanId}/${findingId}`;

type Counts = Readonly<Record<FindingReachability['reachability'], number>>;

const NONE: Counts = { reachable: 0, potentially_reachable: 0, unknown: 0, unreachable: 0 };

/** Loaders of one request: call graphs of its scans, and what was computed from them. */
export const createDriftLoaders = (
  caller: Caller,
  { callGraphs, jobs }: { readonly callGraphs: CallGraphs; readonly jobs: ReachabilityJobs },
) => ({
  callGraphsOfScan: createBatch(async (scanIds: readonly string[]) => {
    const rows = await callGraphs.list(caller, { scanIds });
    return scanIds.map((scanId) => rows.filter((row) => row.scanId === scanId));
  }),

  jobOfGraph: createBatch(async (keys: readonly GraphKey[]) => {
    const rows = await jobs.listNewest(caller, { scanIds: scanIdsOf(keys) });
    return keys.map((key) => rows.find(isOf(key)));
  }),

  reachabilityOfFinding: createBatch(async (keys: readonly FindingKey[]) => {
    const rows = await jobs.listStatements(caller, {
      scanIds: keys.map(({ scanId }) => scanId),
      findingIds: keys.map(({ findingId }) => findingId),
    });
    const byFinding = Map.groupBy(rows, keyOf);
    return keys.map((key) => byFinding.get(keyOf(key)) ?? []);
  }),

  findingCountsOfGraph: createBatch(async (keys: readonly GraphKey[]): Promise<readonly (Counts | undefined)[]> => {
    const rows = await jobs.countFindings(caller, { scanIds: scanIdsOf(keys) });
    return keys.map((key) => {
      const own = rows.filter(isOf(key)).map(({ reachability, findings }) => [reachability, findings]);
      return own.length === 0 ? undefined : { ...NONE, ...Object.fromEntries(own) };
    });
  }),
});

export type DriftLoaders = ReturnType<typeof createDriftLoaders>;
