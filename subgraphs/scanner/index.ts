import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Caller } from '@landfall/kernel/core/caller';
import type { SigningKeys } from '@landfall/kernel/crypto/signing/signer';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import { type Deps, defineModule } from '@landfall/kernel/module';
import type { Context } from './context.ts';
import { createCallGraphs } from './drifts/call-graphs.ts';
import { createDrifts } from './drifts/drifts.ts';
import { createGraphThreads } from './drifts/graph-threads.ts';
import { createDriftLoaders } from './drifts/loaders.ts';
import { createReachabilityJobs } from './drifts/reachability-jobs.ts';
import { createReachabilityWorker } from './drifts/reachability-worker.ts';
import { createManifests } from './manifests/manifests.ts';
import { createPolicies } from './manifests/policies.ts';
import { scannerCommands } from './operator/commands.ts';
import { createLoaders } from './replays/loaders.ts';
import { createProofs } from './replays/proofs.ts';
import { createReplays } from './replays/replays.ts';
import { resolvers } from './resolvers.ts';
import { createScanWorker } from './scans/scan-worker.ts';
import { createScans } from './scans/scans.ts';
import { type ScannerSettings, scannerSettings } from './shared/settings.ts';

export { CALL_GRAPH_BYTES } from './drifts/call-graphs.ts';
export { driftRecordOf } from './drifts/drift-view.ts';
export { manifestDocument, type StoredManifest } from './manifests/manifests.ts';
export type { ProofBundle } from './replays/proofs.ts';
export { scoreFields } from './replays/score-fields.ts';
export { DEFAULT_SBOM_LIMITS } from './sbom/sbom.ts';
export type { CurrentFinding } from './scans/finding-list.ts';
export { findingCursor } from './scans/finding-list.ts';
export { scoreOf } from './scans/scan-score.ts';
export { severityLabel } from './scans/severity-label.ts';
export { manifestHashes } from './score/manifest.ts';

interface ScannerSurroundings {
  readonly signingKeys: SigningKeys;
  /** Directory of the platform's data. */
  readonly dataDir: string;
  /** Version of this program, which manifests name. */
  readonly version: string;
}

/** Scans, score replay and reachability drift (spec 2.4, 2.5, 4.3, 4.4). */
export const createScanner = (
  deps: Deps,
  settings: ScannerSettings,
  { signingKeys, dataDir, version }: ScannerSurroundings,
) => {
  const bundles = {
    directory: resolve(settings.proofsDirectory ?? join(dataDir, 'proofs')),
    isContentAddressed: settings.contentAddressedBundles,
    signingKeys,
  };
  const scans = createScans(deps);
  const policies = createPolicies(deps);
  const manifests = createManifests({ ...deps, signingKeys });
  const scanWorker = createScanWorker({ ...deps, manifests, scannerVersion: version });
  const replays = createReplays({ ...deps, bundles, isHistoryDurable: settings.scoreHistory === 'postgres' });
  const proofs = createProofs({ ...deps, bundles });
  const threads = createGraphThreads();
  const callGraphs = createCallGraphs({ ...deps, threads });
  const jobs = createReachabilityJobs(deps);
  const drifts = createDrifts({ ...deps, threads });
  const reachability = createReachabilityWorker(deps, threads);
  return {
    name: 'scanner',
    operations: [
      scans.get,
      scans.list,
      scans.create,
      scans.findings.ofScan,
      scans.findings.current,
      scans.affected,
      policies.current,
      policies.publish,
      manifests.get,
      replays.replay,
      replays.history,
      replays.explain,
      proofs.bundle,
      proofs.verify,
      proofs.list,
      proofs.get,
      callGraphs.assign,
      callGraphs.list,
      jobs.compute,
      jobs.listNewest,
      jobs.countFindings,
      drifts.compare,
      drifts.get,
      drifts.sinks,
    ],
    schema: buildSubgraph(new URL('./schema.graphql', import.meta.url), resolvers),
    context: (caller: Caller): Context => ({
      caller,
      loaders: {
        ...createLoaders(deps.database, caller, { manifests, proofs, replays }),
        ...createDriftLoaders(caller, { callGraphs, jobs }),
      },
      drifts,
      jobs,
      policies,
      proofs,
      replays,
      scans,
    }),
    workers: [scanWorker.worker, reachability.worker],
    scans,
    /** Matches queued scans once. */
    runScans: scanWorker.turn,
    manifests,
    replays,
    proofs,
    /** Whether REST has the routes of the score (rulings 7). */
    hasScoreRoutes: settings.scoreReplay,
    callGraphs,
    jobs,
    drifts,
    /** Performs the oldest reachability job, and returns the number of jobs. */
    computeReachability: reachability.turn,
  };
};

export type Scanner = ReturnType<typeof createScanner>;

export const scannerModule = defineModule({
  name: 'scanner',
  settings: scannerSettings,
  migrations: fileURLToPath(new URL('./migrations', import.meta.url)),
  commands: scannerCommands,
  seed: async () => (await import('./testing/seed.ts')).scannerSeed,
  configure:
    (settings, { dataDir, version }) =>
    (deps, { signingKeys }) =>
      createScanner(deps, settings, { signingKeys, dataDir, version }),
});
