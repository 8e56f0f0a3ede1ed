import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Caller } from '@landfall/kernel/core/caller';
import type { SigningKeys } from '@landfall/kernel/crypto/signing/signer';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import { type Deps, defineModule, type ProductDirectory } from '@landfall/kernel/module';
import { createConnect } from '@landfall/kernel/system/connect';
import type { Meter } from '@landfall/kernel/system/telemetry';
import { createSchedule } from '@landfall/kernel/work/schedule';
import type { Context } from './context.ts';
import { createCallGraphs } from './drifts/call-graphs.ts';
import { createDrifts } from './drifts/drifts.ts';
import { CALL_TIMEOUT_MS, createGraphCache } from './drifts/graph-cache.ts';
import { createGraphThreads } from './drifts/graph-threads.ts';
import { createDriftLoaders } from './drifts/loaders.ts';
import { createReachabilityJobs } from './drifts/reachability-jobs.ts';
import { createReachabilityWorker } from './drifts/reachability-worker.ts';
import { createRedisClient } from './drifts/redis-client.ts';
import { createStoredGraphs } from './drifts/stored-graphs.ts';
import { createSsvc } from './feeds/ssvc.ts';
import { createManifests, type Manifests } from './manifests/manifests.ts';
import { createPolicies } from './manifests/policies.ts';
import { scannerCommands } from './operator/commands.ts';
import { createLoaders } from './replays/loaders.ts';
import { createProofs } from './replays/proofs.ts';
import { createReplays } from './replays/replays.ts';
import { createRescoreMeters } from './rescoring/meters.ts';
import { createRescoreCycle } from './rescoring/rescore-cycle.ts';
import { createRescoreWorker } from './rescoring/rescore-worker.ts';
import { resolvers } from './resolvers.ts';
import { createRunningImages, type RunningImages } from './running/running-images.ts';
import { createScanLoaders } from './scans/loaders.ts';
import { createRefreeze } from './scans/refreeze.ts';
import { createScanWorker } from './scans/scan-worker.ts';
import { createScans } from './scans/scans.ts';
import { unusedSbomDuty } from './scans/unused-sboms.ts';
import { SCANNER_POLICIES } from './shared/scopes.ts';
import { checkScannerSettings, type ScannerSettings, scannerSettings } from './shared/settings.ts';
import { createTriageExpiry } from './triage/expiry.ts';
import { createTriageLoaders } from './triage/loaders.ts';
import { NO_PRODUCTS } from './triage/product-directory.ts';
import { createTriage } from './triage/triage.ts';
import { createVexLoaders } from './vex/loaders.ts';
import { createVexStatements } from './vex/statements.ts';
import { createVexDocuments } from './vex/vex-documents.ts';
import { createVexSources } from './vex/vex-sources.ts';

export { CALL_GRAPH_BYTES } from './drifts/call-graphs.ts';
export { driftRecordOf } from './drifts/drift-view.ts';
export { feedImporter } from './feeds/feed-importer.ts';
export { problemOfRule } from './gate/fail-rule.ts';
export { createScanGate } from './gate/scan-gate.ts';
export { manifestDocument, type StoredManifest } from './manifests/manifests.ts';
export type { ProofBundle } from './replays/proofs.ts';
export { scoreFields } from './replays/score-fields.ts';
export { DEFAULT_SBOM_LIMITS } from './sbom/sbom.ts';
export type { CurrentFinding } from './scans/finding-list.ts';
export { findingCursor } from './scans/finding-list.ts';
export { scoreOf } from './scans/scan-score.ts';
export { scannerEvidence } from './scans/scanner-evidence.ts';
export { severityLabel } from './scans/severity-label.ts';
export { manifestHashes } from './score/manifest.ts';
export { contentDates } from './vex/content-dates.ts';
export { MAX_DOCUMENT as VEX_DOCUMENT_BYTES } from './vex/document-reading.ts';
export { createVexImporter } from './vex/vex-importer.ts';

interface ScannerSurroundings {
  readonly signingKeys: SigningKeys;
  /** Directory of the platform's data. */
  readonly dataDir: string;
  /** Version of this program, which manifests name. */
  readonly version: string;
  /** Undefined where no metrics are collected. */
  readonly meter?: Meter | undefined;
  /** Images of a tenant that run now, whose scans are rescored at any age; none unless given. */
  readonly runningImages?: RunningImages;
  /** Products of the tenants, about which triage decides; none unless given. */
  readonly products?: ProductDirectory | undefined;
}

/** Creates the rescoring of scans whose inputs changed. */
const createRescoring = (
  deps: Deps,
  settings: ScannerSettings,
  {
    manifests,
    products,
    scannerVersion,
    meter,
    runningImages = async () => [],
  }: Pick<ScannerSurroundings, 'meter' | 'runningImages'> & {
    readonly manifests: Manifests;
    readonly products: ProductDirectory;
    readonly scannerVersion: string;
  },
) => {
  const cycle = createRescoreCycle({
    ...deps,
    limits: settings,
    meters: createRescoreMeters(meter),
    runningImages,
    refreeze: createRefreeze({ ...deps, manifests, products, scannerVersion }),
  });
  return { cycle, ...createRescoreWorker({ ...deps, checkIntervalMs: settings.rescoreCheckIntervalMs, cycle }) };
};

/** Creates the reading of stored call graphs, through a cache where the settings name one. */
const createGraphReading = (deps: Deps, { callGraphCacheUrl }: ScannerSettings) =>
  createStoredGraphs(
    deps,
    callGraphCacheUrl === undefined
      ? undefined
      : createGraphCache(
          deps,
          createRedisClient(callGraphCacheUrl, {
            timeoutMs: CALL_TIMEOUT_MS,
            connect: createConnect(deps.egress, 'scanner'),
          }),
        ),
  );

/** Scans, score replay and reachability drift (spec 2.4, 2.5, 4.3, 4.4). */
export const createScanner = (
  deps: Deps,
  settings: ScannerSettings,
  { signingKeys, dataDir, version, meter, runningImages = async () => [], products = NO_PRODUCTS }: ScannerSurroundings,
) => {
  const bundles = {
    directory: resolve(settings.proofsDirectory ?? join(dataDir, 'proofs')),
    isContentAddressed: settings.contentAddressedBundles,
    signingKeys,
  };
  const scans = createScans({ ...deps, products });
  const ssvc = createSsvc(deps);
  const vexSources = createVexSources(deps);
  const vexDocuments = createVexDocuments(deps);
  const vexStatements = createVexStatements(deps);
  const triage = createTriage({ ...deps, products });
  const triageExpiry = createTriageExpiry(deps);
  const policies = createPolicies(deps);
  const manifests = createManifests({ ...deps, signingKeys });
  const scanWorker = createScanWorker({
    ...deps,
    manifests,
    products,
    scannerVersion: version,
    maxAttempts: settings.maxScanAttempts,
  });
  const rescoring = createRescoring(deps, settings, {
    manifests,
    products,
    scannerVersion: version,
    meter,
    runningImages,
  });
  const replays = createReplays({ ...deps, bundles, isHistoryDurable: settings.scoreHistory === 'postgres' });
  const proofs = createProofs({ ...deps, bundles });
  const threads = createGraphThreads();
  const callGraphs = createCallGraphs({ ...deps, threads });
  const jobs = createReachabilityJobs(deps);
  const unusedSboms = unusedSbomDuty(deps);
  const readGraph = createGraphReading(deps, settings);
  const drifts = createDrifts({ ...deps, threads, readGraph });
  const reachability = createReachabilityWorker({ ...deps, threads, readGraph });
  return {
    name: 'scanner',
    operations: [
      scans.get,
      scans.list,
      scans.create,
      scans.findings.ofScan,
      scans.findings.current,
      scans.findings.undecided,
      scans.components.ofScan,
      scans.components.countInconclusive,
      scans.affected,
      scans.listOfImages,
      scans.locations,
      policies.current,
      policies.list,
      policies.publish,
      manifests.get,
      manifests.scoreHistory,
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
      jobs.listStatements,
      jobs.countFindings,
      drifts.compare,
      drifts.get,
      drifts.sinks,
      ssvc.list,
      vexSources.list,
      vexSources.get,
      vexSources.create,
      vexSources.update,
      vexDocuments.import,
      vexDocuments.list,
      vexDocuments.get,
      vexDocuments.totals,
      vexDocuments.text,
      vexStatements.list,
      vexStatements.ofDocument,
      vexStatements.ofFindings,
      triage.list,
      triage.get,
      triage.decide,
      triage.listOfFindings,
      triage.exportVex,
      triage.revoke,
      vexSources.remove,
    ],
    schema: buildSubgraph(new URL('./schema.graphql', import.meta.url), resolvers),
    context: (caller: Caller): Context => ({
      caller,
      loaders: {
        ...createLoaders(deps.database, caller, { manifests, proofs, replays }),
        ...createDriftLoaders(caller, { callGraphs, jobs }),
        ...createVexLoaders(caller, { vexDocuments, vexStatements, ssvc }),
        ...createScanLoaders(caller, scans),
        ...createTriageLoaders(caller, triage),
      },
      drifts,
      jobs,
      policies,
      proofs,
      replays,
      scans,
      vexSources,
      vexDocuments,
      vexStatements,
      triage,
    }),
    workers: [
      scanWorker.worker,
      reachability.worker,
      triageExpiry.worker,
      createSchedule(deps, 'scanner.housekeeping', [unusedSboms]),
      ...(settings.feedChangeRescore ? [rescoring.worker] : []),
    ],
    scans,
    /** Matches queued scans once. */
    runScans: scanWorker.turn,
    /** Deletes bills without a scan that were received more than a day ago. */
    removeUnusedSboms: unusedSboms.run,
    /** Rescores scans whose inputs changed, and returns their number. */
    rescoreScans: rescoring.cycle,
    /** Does so if a cycle is due and no other process runs one, and returns whether it ran. */
    rescoreIfDue: rescoring.runIfDue,
    policies,
    manifests,
    replays,
    proofs,
    /** Whether REST has the routes of the score (rulings 7). */
    hasScoreRoutes: settings.scoreReplay,
    callGraphs,
    jobs,
    drifts,
    vexSources,
    vexDocuments,
    vexStatements,
    triage,
    /** Records the triage decisions that expired, and returns their number. */
    expireDecisions: triageExpiry.turn,
    /** Performs the oldest reachability job, and returns the number of jobs. */
    computeReachability: reachability.turn,
    runningImages,
  };
};

export type Scanner = ReturnType<typeof createScanner>;

export const scannerModule = defineModule({
  name: 'scanner',
  settings: scannerSettings,
  migrations: fileURLToPath(new URL('./migrations', import.meta.url)),
  openPolicies: SCANNER_POLICIES,
  commands: scannerCommands,
  demo: async () => (await import('./demo/chapter.ts')).scannerChapter,
  seed: async () => (await import('./testing/seed.ts')).scannerSeed,
  configure: (settings, { dataDir, version }) => {
    checkScannerSettings(settings);
    return (deps, { signingKeys, meter, products, upstream }) =>
      createScanner(deps, settings, {
        signingKeys,
        dataDir,
        version,
        meter,
        products,
        runningImages: createRunningImages({ ...deps, upstream }),
      });
  },
});
