import { systemCaller, type Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Worker } from '@landfall/kernel/core/worker';
import type { Deps, ProductDirectory } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
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
/** Time of the first attempt, longer than the largest bill takes; of the second twice as long, and so on. */
const FIRST_LEASE_MS = 300_000;
/**
 * Lease of the last attempt, and of any that takes longer than its time: it is renewed while the process works, so that one
 * that died is noticed soon.
 */
const LEASE_MS = 60_000;
const RENEWAL_MS = 15_000;
/** Wait after a fault of the database during the first attempt, which doubles in the same way. */
const FIRST_RETRY_MS = 5_000;

const doubled = (firstMs: number, attempts: number): number => firstMs * 2 ** (attempts - 1);

/** Reason of a scan that no attempt brought to an end. */
const exhausted = (attempts: number): string =>
  `None of ${attempts} attempts came to an end: the process ended, stopped or lost the database each time. ` +
  'Find the cause in the log of the scanner, such as a lack of memory, and send the bill again.';

const isOpen = (scan: store.Scan | undefined): scan is store.Scan =>
  scan?.status === 'queued' || scan?.status === 'running';

interface ScanWorkerDeps extends Deps {
  /** Attempts after which a scan fails. */
  readonly maxAttempts: number;
  readonly manifests: Manifests;
  readonly products: ProductDirectory;
  /** Version of this program, which manifests name. */
  readonly scannerVersion: string;
}

/** Matches queued scans, the oldest first, in every process with the worker role. */
export const createScanWorker = (deps: ScanWorkerDeps) => {
  const { database, clock, ids, hints, log, manifests, products, scannerVersion, maxAttempts } = deps;

  /**
   * Counts an attempt before it begins, so that one that kills the process counts too, or fails a scan without another.
   * @returns undefined where no attempt is due, such as where another process has begun it
   */
  const begin = (who: Who, id: store.ScanId): Promise<store.Scan | undefined> =>
    database.write(who.tenant, async (tx) => {
      const scan = await store.findDueLocked(tx, who.tenant, id);
      if (!scan) return undefined;
      const attempts = scan.attempts + 1;
      // After the last attempt nothing is tried that a pause could spare the process.
      const leaseMs = attempts === maxAttempts ? LEASE_MS : doubled(FIRST_LEASE_MS, attempts);
      if (attempts <= maxAttempts) return store.beginAttempt(tx, who.tenant, id, leaseMs);
      await publishFailure(tx, who, await store.setFailed(tx, who.tenant, id, exhausted(scan.attempts)));
      return undefined;
    });

  const complete = async (who: Who, scan: store.Scan): Promise<void> => {
    const { tenant } = who;
    await failpoint('scanner.scan.begun');
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

  /** Renews the lease of an attempt until it is disposed of. */
  const renewing = (who: Who, { id, attempts }: store.Scan): Disposable => {
    const renew = async (): Promise<void> => {
      try {
        await database.write(who.tenant, (tx) =>
          store.renewAttempt(tx, who.tenant, id, { attempts, leaseMs: LEASE_MS }),
        );
      } catch (error) {
        // The next renewal may succeed; the attempt itself meets the same fault.
        log.warn({ err: error, tenant: who.tenant, scan: id }, 'scanner.scans');
      }
    };
    const timer = setInterval(() => void renew(), RENEWAL_MS).unref();
    return { [Symbol.dispose]: () => clearInterval(timer) };
  };

  const run = async (tenant: TenantId, id: store.ScanId): Promise<void> => {
    const who = systemCaller(tenant, 'scanner.scans', ids.uuid());
    const scan = await begin(who, id);
    if (!scan) return;
    using _lease = renewing(who, scan);
    try {
      await complete(who, scan);
    } catch (error) {
      if (!(error instanceof SbomError)) log.error({ err: error, tenant, scan: id }, 'scanner.scans');
      // A fault of the database passes; anything else would fail again.
      if (error instanceof Fault) {
        const waitMs = doubled(FIRST_RETRY_MS, scan.attempts);
        await database.write(tenant, (tx) => store.retryAfter(tx, tenant, id, waitMs));
        return;
      }
      await fail(who, scan, error instanceof SbomError ? error.message : 'An error of the scanner. The log has it.');
    }
  };

  const turn = async (): Promise<number> => {
    const due = await database.system.read((query) => store.listDueAttempts(query, TURN));
    for (const { tenant, id } of due) await run(tenant, id);
    return due.length;
  };

  const worker: Worker = pollingWorker({ name: 'scanner.scans', pollMs: POLL_MS, hints: hints.of('Scan'), log, turn });
  return { worker, turn };
};
