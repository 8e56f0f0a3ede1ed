import type { SigningKeys } from '@landfall/kernel/crypto/signing/signer';
import type { Deps, EvidenceReaders } from '@landfall/kernel/module';
import type { FeedImporter, ReleaseTransfer, ScanGate, VexImporter } from '@landfall/kernel/operator/transfers';
import type { Meter } from '@landfall/kernel/system/telemetry';
import { createFeedsLoader } from './kits/feeds-loader.ts';
import { createGatePreview } from './kits/gate-preview.ts';
import { type AnchoredNow, createImportRequests, type ImportTime } from './kits/import-requests.ts';
import { createImportWorker } from './kits/import-worker.ts';
import { createImporterMeters } from './kits/importer-meters.ts';
import { createKitDirectories } from './kits/inbox.ts';
import { createKits } from './kits/kits.ts';
import { createQuarantineSweep } from './kits/quarantine-sweep.ts';
import { createReleaseLoader } from './kits/release-loader.ts';
import { createMirrorImports } from './mirror/mirror-imports.ts';
import { createMirrorWorker } from './mirror/mirror-worker.ts';
import { bundleDirectories } from './sync/files.ts';
import { createStatementFollower } from './sync/follower.ts';
import { createSync } from './sync/sync.ts';
import { createSyncMeters } from './sync/sync-meters.ts';
import type { TenantTimes } from './time/tenant-time.ts';

export interface TransferPorts {
  /** Directory of the platform's data. */
  readonly dataDir: string;
  readonly meter?: Meter | undefined;
  readonly signingKeys: Pick<SigningKeys, 'signer' | 'list'>;
  readonly feeds: FeedImporter;
  readonly vex: VexImporter;
  readonly releases: ReleaseTransfer;
  readonly gate: ScanGate;
  /** Readers of the platform's statements, which sealed sites tell others. */
  readonly evidence: EvidenceReaders;
}

interface Times {
  readonly anchoredNow: AnchoredNow;
  readonly importNow: AnchoredNow;
  readonly importTime: ImportTime;
  readonly times: Pick<TenantTimes, 'read'>;
}

/** Creates what enters and leaves a site without a network: kits, mirrors and jobs. */
export const createTransfers = (
  deps: Deps,
  { dataDir, meter, signingKeys, feeds, vex, releases, gate, evidence }: TransferPorts,
  { anchoredNow, importNow, importTime, times }: Times,
) => {
  const directories = createKitDirectories(dataDir);
  const meters = createImporterMeters(meter);
  const kits = createKits({ ...deps, directories });
  const kitImports = createImportRequests({ ...deps, directories, importTime, gate });
  const importing = createImportWorker({
    ...deps,
    directories,
    anchoredNow,
    importTime,
    meters,
    signingKeys,
    loaders: {
      feeds: createFeedsLoader({ ...deps, feeds, previewGate: createGatePreview({ ...deps, releases, gate }) }),
      release: createReleaseLoader({ ...deps, releases, meters }),
    },
  });
  const sweep = createQuarantineSweep({ ...deps, directories });
  const mirrors = createMirrorImports({ ...deps, importNow });
  const mirroring = createMirrorWorker({ ...deps, dataDir, importNow, feeds, vex });
  const bundles = bundleDirectories(dataDir);
  const syncMeters = createSyncMeters(meter);
  const signer = () => signingKeys.signer('attestation');
  const sync = createSync({ ...deps, directories: bundles, signer, now: anchoredNow, meters: syncMeters });
  const following = createStatementFollower({ ...deps, readers: evidence, times, meters: syncMeters });
  return {
    kits,
    sync,
    kitImports,
    mirrors,
    operations: [
      ...Object.values(kits),
      ...Object.values(kitImports),
      ...Object.values(mirrors),
      ...Object.values(sync),
    ],
    workers: [importing.worker, sweep.worker, mirroring.worker, following.worker],
    /** Directory into which bundles of other sites are copied. */
    bundleInbox: bundles.inbox,
    /** Puts the statements of sealed sites into their queues. */
    followStatements: following.turn,
    /** Directory of a kit in the inbox of a tenant. */
    kitInbox: directories.inboxFolder,
    /** Removes what imports left in the quarantine. */
    sweepQuarantine: sweep.turn,
    /** Imports the mirror that is due, and returns the number of imports. */
    importMirrors: mirroring.turn,
    /** Performs the oldest import that is due, and returns the number of imports. */
    importKits: importing.turn,
  };
};
