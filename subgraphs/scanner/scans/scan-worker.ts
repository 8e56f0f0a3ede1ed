import { systemCaller, type Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Worker } from '@landfall/kernel/core/worker';
import type { Deps, ProductDirectory } from '@landfall/kernel/module';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import { type Manifests, storeFreeze } from '../manifests/manifests.ts';
import { readSbom } from '../sbom/read-sbom.ts';
import { SbomError } from '../sbom/sbom-error.ts';
import { loadSuppressed } from '../triage/finding-decisions.ts';
import { storeDocuments } from '../vex/document-set.ts';
import * as components from './components.store.ts';
import { storedDocument } from './documents.ts';
import { ruleFindings } from './finding-vex.ts';
import * as findings from './findings.store.ts';
import { freezeMatches, resultsOf } from './freeze.ts';
import { matchSbom } from './matching.ts';
import { publishCompletion, publishFailure } from './scan-events.ts';
import * as store from './scans.store.ts';

const POLL_MS = 2_000;
/** Differences of a first freeze from the one before. */
const FIRST = { causes: [], appearedCount: 0, disappearedCount: 0, changes: [] };
/** Scans of one turn. */
const TURN = 10;

const isOpen = (scan: store.Scan | undefined): scan is store.Scan =>
  scan?.status === 'queued' || scan?.status === 'running';

interface ScanWorkerDeps extends Deps {
  readonly manifests: Manifests;
  readonly products: ProductDirectory;
  /** Version of this program, which manifests name. */
  readonly scannerVersion: string;
}

/** Matches queued scans, the oldest first, in every process with the worker role. */
export const createScanWorker = (deps: ScanWorkerDeps) => {
  const { database, clock, ids, hints, log, manifests, products, scannerVersion } = deps;

  /** Marks a scan as running; undefined where another process has completed it. */
  const begin = (who: Who, id: store.ScanId): Promise<store.Scan | undefined> =>
    database.write(who.tenant, async (tx) => {
      const scan = await store.findLocked(tx, who.tenant, id);
      if (!isOpen(scan)) return undefined;
      return scan.status === 'queued' ? store.setRunning(tx, who.tenant, id) : scan;
    });

  const complete = async (who: Who, scan: store.Scan): Promise<void> => {
    const { tenant } = who;
    const sbom = await readSbom(storedDocument(database, who, scan.sbomDigest));
    const matched = await ruleFindings(database, who, await matchSbom(database, who, sbom), scan);
    const { id: scanId, sbomDigest, createdAt } = scan;
    const frozen = await freezeMatches(matched, { scanId, sbomDigest, scannerVersion, createdAt, now: clock.now() });
    const sealed = await manifests.freezeScan(frozen);
    const results = resultsOf(frozen, matched.findings.length);
    await database.write(tenant, async (tx) => {
      // Another process may have been as fast.
      if (!isOpen(await store.findLocked(tx, tenant, scan.id))) return;
      await components.insertAll(tx, tenant, scan.id, matched.evaluations);
      await findings.upsertAll(tx, tenant, scan.id, matched.findings, frozen.findingScore);
      await storeDocuments(tx, tenant, matched.vexDocuments);
      await storeFreeze(tx, tenant, sealed, { ...results, ...FIRST });
      const completed = await store.setCompleted(tx, tenant, scan.id, matched.findings.length, frozen);
      const suppressed = await loadSuppressed(tx, tenant, products, completed);
      await publishCompletion(tx, who, completed, { findings: matched.findings, suppressed });
    });
  };

  const fail = (who: Who, { id }: store.Scan, error: string): Promise<void> =>
    database.write(who.tenant, async (tx) => {
      if (!isOpen(await store.findLocked(tx, who.tenant, id))) return;
      await publishFailure(tx, who, await store.setFailed(tx, who.tenant, id, error));
    });

  const run = async (tenant: TenantId, id: store.ScanId): Promise<void> => {
    const who = systemCaller(tenant, 'scanner.scans', ids.uuid());
    const scan = await begin(who, id);
    if (!scan) return;
    try {
      await complete(who, scan);
    } catch (error) {
      // A fault of the database passes; anything else would fail again.
      if (error instanceof Fault) throw error;
      if (!(error instanceof SbomError)) log.error({ err: error, scan: id }, 'scanner.scans');
      await fail(who, scan, error instanceof SbomError ? error.message : 'An error of the scanner. The log has it.');
    }
  };

  const turn = async (): Promise<number> => {
    const open = await database.system.read((query) => store.listOpen(query, TURN));
    for (const { tenant, id } of open) await run(tenant, id);
    return open.length;
  };

  const worker: Worker = pollingWorker({ name: 'scanner.scans', pollMs: POLL_MS, hints: hints.of('Scan'), log, turn });
  return { worker, turn };
};
