import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Caller } from '@landfall/kernel/core/caller';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import { type Deps, type DocumentSeal, defineModule, type ModulePorts } from '@landfall/kernel/module';
import { settingsOf } from '@landfall/kernel/system/settings';
import { createSchedule } from '@landfall/kernel/work/schedule';
import { createArrivals } from './arrivals/arrivals.ts';
import { createBundleContents } from './bundles/bundle-contents.ts';
import { createBundles } from './bundles/bundles.ts';
import { createCompleteness } from './completeness/completeness.ts';
import type { Context } from './context.ts';
import { createHolds } from './custody/holds.ts';
import { createObjectProtection } from './custody/object-protection.ts';
import { createRetention } from './custody/retention.ts';
import { createExportWorker } from './exports/export-worker.ts';
import { createExports } from './exports/exports.ts';
import { createLoaders } from './loaders.ts';
import { createObjects, directoryOf } from './objects/configured-objects.ts';
import { bucketUrl } from './objects/s3-client.ts';
import { createStaging } from './objects/staging.ts';
import { artifactCommands } from './operator/commands.ts';
import { createArtifacts } from './records/artifacts.ts';
import { createPlacing } from './records/placing.ts';
import { createPutting } from './records/putting.ts';
import { createReading } from './records/reading.ts';
import { resolvers } from './resolvers.ts';
import { createScrub } from './scrub/scrub.ts';
import {
  type ArtifactSettings,
  artifactSettings,
  bucketOf,
  checkArtifactSettings,
  prefixOf,
} from './shared/settings.ts';
import { createVerdicts } from './verdicts/verdicts.ts';

export type { EvidenceExport } from './exports/exports.ts';
export { exportPathOf } from './exports/resolvers.ts';
export type { Artifact } from './records/artifacts.ts';

interface ArtifactSurroundings extends Pick<ModulePorts, 'releases' | 'products' | 'evidence' | 'upstream'> {
  /** Directory of the platform's data. */
  readonly dataDir: string;
  readonly platformDomain: string;
  readonly documentSeal: DocumentSeal;
}

/** Addresses of the installation's own that the settings of this module name. */
export const ownAddressesOf = (settings: object): readonly string[] => {
  const bucket = bucketOf(settingsOf(artifactSettings, settings));
  return bucket ? [bucketUrl(bucket).href] : [];
};

/** Evidence of tenants: artifacts, their index and their bytes (spec 2.6, 4.5). */
export const createArtifactStore = (services: Deps, settings: ArtifactSettings, around: ArtifactSurroundings) => {
  const { retentionDays, scrubDays } = settings;
  const directory = directoryOf(settings, around.dataDir);
  const objects = createObjects(services, settings, directory);
  const staging = createStaging(join(directory, 'incoming'), settings.maxBytes);
  const deps = { ...services, ...around, objects, staging, prefix: prefixOf(settings), retentionDays, scrubDays };
  const placing = createPlacing(deps);
  const { put, receive, stageStream, putStream } = createPutting({ ...deps, placing });
  const { putDocument } = placing;
  const { content, readArtifact, doubt } = createReading(deps);
  const verdicts = createVerdicts({ ...deps, readArtifact });
  const { judgeAgain } = verdicts;
  const scrub = createScrub(deps);
  const holds = createHolds(deps);
  const protection = createObjectProtection(deps);
  const retention = createRetention(deps);
  const artifacts = { ...createArtifacts(deps), put, receive, read: content };
  const bundles = createBundles(deps);
  const { createOf: _createOf, ensureOf, exists: _exists, ...bundleOperations } = bundles;
  const arrivals = createArrivals({ ...deps, readers: around.evidence, putDocument, judgeAgain, ensureOf });
  const completeness = createCompleteness(deps);
  const contents = createBundleContents(deps);
  const exports = createExports({ ...deps, contents, bundles });
  const exporting = createExportWorker({ ...deps, contents, doubt, seal: around.documentSeal });
  const parts = { artifacts, bundles, exports, holds, retention, arrivals };
  return {
    name: 'artifacts',
    operations: [
      ...Object.values(artifacts),
      ...Object.values(holds),
      ...Object.values(retention),
      ...Object.values(bundleOperations),
      ...Object.values(exports),
      ...Object.values(completeness),
      arrivals.failures,
    ],
    schema: buildSubgraph(new URL('./schema.graphql', import.meta.url), resolvers),
    context: (caller: Caller): Context => ({
      ...parts,
      caller,
      loaders: createLoaders(caller, { ...parts, completeness }),
    }),
    workers: [
      arrivals.worker,
      verdicts.worker,
      exporting.worker,
      ...protection.workers,
      createSchedule(deps, 'artifacts.housekeeping', scrub.duties),
    ],
    ...parts,
    objects,
    completeness,
    scrub,
    stageStream,
    /** Makes the export that waits longest. */
    makeExport: exporting.turn,
    putStream,
    putDocument,
    /** Bytes of an artifact, hashed while they are read. */
    readArtifact,
    /** Puts the evidence that the platform announced since the last turn. */
    followPlatform: arrivals.turn,
    judgeAgain,
    /** Tells a bucket with Object Lock of retentions and holds that changed. */
    protectDue: protection.turn,
    /** Judges the signatures that are due. */
    judgeDue: verdicts.turn,
    /** Size of the largest artifact, in bytes. */
    maxBytes: settings.maxBytes,
    /** Whether REST has the routes of artifacts (rulings 9). */
    hasRetrieval: settings.mountRetrieval,
  };
};

export type ArtifactStore = ReturnType<typeof createArtifactStore>;

export const artifactsModule = defineModule({
  name: 'artifacts',
  settings: artifactSettings,
  migrations: fileURLToPath(new URL('./migrations', import.meta.url)),
  commands: artifactCommands,
  checks: async () => (await import('./operator/checks.ts')).artifactChecks,
  demo: async () => (await import('./demo/chapter.ts')).artifactsChapter,
  seed: async () => (await import('./testing/seed.ts')).artifactsSeed,
  configure: (settings, { dataDir, platformDomain }) => {
    checkArtifactSettings(settings);
    return (deps, { documentSeal, ...ports }) =>
      createArtifactStore(deps, settings, { ...ports, dataDir, platformDomain, documentSeal: documentSeal() });
  },
});
