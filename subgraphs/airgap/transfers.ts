import type { SigningKeys } from '@landfall/kernel/crypto/signing/signer';
import type { Deps, ModulePorts } from '@landfall/kernel/module';
import type { ReleaseTransfer, ScanGate } from '@landfall/kernel/operator/transfers';
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

export interface TransferPorts extends Pick<ModulePorts, 'meter' | 'feeds' | 'vex' | 'evidence'> {
  /** Directory of the platform's data. */
  readonly dataDir: string;
  readonly signingKeys: Pick<SigningKeys, 'signer' | 'list'>;
  readonly releases: ReleaseTransfer;
  readonly gate: ScanGate;
}

interface Times {
  readonly anchoredNow: AnchoredNow;
  readonly importNow: AnchoredNow;
  readonly importTime: ImportTime;
  readonly times: Pick<TenantTimes, 'read'>;
}

/** Creates what enters and leaves a site without a network: kits, mirrors and jobs. */
export const createTransfers = (services: Deps, ports: TransferPorts, times: Times) => {
  const { dataDir, meter, signingKeys } = ports;
  const directories = createKitDirectories(dataDir);
  const meters = createImporterMeters(meter);
  const deps = { ...services, ...ports, ...times, directories, meters };
  const kits = createKits(deps);
  const kitImports = createImportRequests(deps);
  const loaders = {
    feeds: createFeedsLoader({ ...deps, previewGate: createGatePreview(deps) }),
    release: createReleaseLoader(deps),
  };
  const importing = createImportWorker({ ...deps, loaders });
  const sweep = createQuarantineSweep(deps);
  const mirrors = createMirrorImports(deps);
  const mirroring = createMirrorWorker(deps);
  const bundles = bundleDirectories(dataDir);
  const syncDeps = { ...deps, directories: bundles, now: times.anchoredNow, meters: createSyncMeters(meter) };
  const sync = createSync({ ...syncDeps, signer: () => signingKeys.signer('attestation') });
  const following = createStatementFollower({ ...syncDeps, readers: ports.evidence });
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
