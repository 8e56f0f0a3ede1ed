import { systemCaller } from '@landfall/kernel/core/caller';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { SHARED } from '../feeds/shared-tenant.ts';
import { SbomError } from '../sbom/sbom-error.ts';
import { ABSENT_INPUT, type InputDigests } from '../scans/concerned-inputs.ts';
import { giveUp, type Refrozen } from '../scans/refreeze.ts';
import { feedsInForce, tenantInputs } from './current-inputs.ts';
import * as dueScans from './due-scans.store.ts';
import type { RescoreMeters } from './meters.ts';
import { observe } from './observed-inputs.store.ts';

const NAME = 'scanner.rescore';

interface RescoreLimits {
  readonly maxScansPerCycle: number;
  readonly scanAgeLimitMs: number;
  /** Scans that are rescored at a time. */
  readonly rescoreConcurrency: number;
  /** Attempts after which a scan is given up that ended the process each time. */
  readonly maxScanAttempts: number;
}

/** Why a scan whose rescoring ended the process each time has an old score. */
const exhausted = (attempts: number): string =>
  `None of ${attempts} attempts to score it again came to an end: the process ended or stopped each time. ` +
  'Find the cause in the log of the scanner, such as a lack of memory. The next change of its inputs starts anew.';

interface RescoreCycleDeps extends Pick<Deps, 'database' | 'clock' | 'ids' | 'log'> {
  readonly limits: RescoreLimits;
  readonly meters: RescoreMeters;
  /** Digests of the images of a tenant that run now. */
  runningImages(tenant: TenantId): Promise<readonly string[]>;
  /** Freezes a scan again if an input that concerns it changed. */
  refreeze(who: ReturnType<typeof systemCaller>, scanId: dueScans.DueScan['id']): Promise<Refrozen>;
}

/** Creates one cycle of rescoring: it marks the scans whose inputs changed, and rescores those that wait longest. */
export const createRescoreCycle = (deps: RescoreCycleDeps) => {
  const { database, clock, ids, log, limits, meters, runningImages, refreeze } = deps;

  /** Counts the inputs that are others than the cycle before found. */
  const observeChanges = async (owner: string, inputs: InputDigests): Promise<void> => {
    const changed = await database.system.write((tx) => observe(tx, owner, inputs));
    // A tenant has its policy and VEX from its first scan on; a feed that is new was imported.
    for (const { role, isNew } of changed) if (!isNew || owner === SHARED) meters.feedChanged(role);
  };

  /** Images that run now; none where the estate cannot be read, so that recent scans need not wait for it. */
  const imagesOf = async (tenant: TenantId): Promise<readonly string[]> => {
    try {
      return await runningImages(tenant);
    } catch (error) {
      meters.failed('estate');
      log.error({ err: error, tenant }, NAME);
      return [];
    }
  };

  const mark = async (tenant: TenantId, feeds: InputDigests, dueAt: Date): Promise<void> => {
    const own = await tenantInputs(database, tenant);
    await observeChanges(tenant, own);
    const criteria = {
      dueAt,
      inputs: { ...feeds, ...own },
      absent: ABSENT_INPUT,
      ageLimitMs: limits.scanAgeLimitMs,
      runningImages: await imagesOf(tenant),
    };
    await database.write(tenant, (tx) => dueScans.markDue(tx, tenant, criteria));
  };

  const giveScanUp = async ({ tenant, id }: dueScans.DueScan, error: string): Promise<void> => {
    const inputs = { ...(await feedsInForce(database)), ...(await tenantInputs(database, tenant)) };
    await giveUp(database, tenant, id, { inputs, error });
  };

  /** Ends the turn of a scan that could not be rescored, so that it does not stand in the way of others. */
  const endTurn = async (scan: dueScans.DueScan, error: unknown): Promise<void> => {
    if (error instanceof SbomError) {
      await giveScanUp(scan, `Its bill cannot be read any more: ${error.message}.`);
      return;
    }
    const { tenant, id } = scan;
    // Behind those that this cycle marked, even within one millisecond.
    const dueAt = new Date(clock.now().getTime() + 1);
    await database.write(tenant, (tx) => dueScans.postpone(tx, tenant, id, dueAt));
  };

  /** Counts an attempt before it begins, so that one that ends the process counts too. @returns whether it may begin */
  const begin = async (scan: dueScans.DueScan): Promise<boolean> => {
    const { tenant, id } = scan;
    const attempts = await database.write(tenant, (tx) => dueScans.beginAttempt(tx, tenant, id));
    if (attempts === undefined || attempts <= limits.maxScanAttempts) return attempts !== undefined;
    meters.failed('scan');
    log.error({ tenant, scan: id, attempts: attempts - 1 }, NAME);
    await giveScanUp(scan, exhausted(attempts - 1));
    return false;
  };

  const rescoreOne = async (scan: dueScans.DueScan): Promise<number> => {
    try {
      if (!(await begin(scan))) return 0;
      const refrozen = await refreeze(systemCaller(scan.tenant, NAME, ids.uuid()), scan.id);
      if (!refrozen) return 0;
      meters.rescored(refrozen.isDeterministic);
      return 1;
    } catch (error) {
      meters.failed('scan');
      const level = error instanceof SbomError ? 'warn' : 'error';
      log[level]({ err: error, tenant: scan.tenant, scan: scan.id }, NAME);
      await endTurn(scan, error);
      return 0;
    }
  };

  const rescoreDue = async (): Promise<number> => {
    const due = await database.system.read((query) => dueScans.listDue(query, limits.maxScansPerCycle));
    const queue = due.filter(({ attempts }) => attempts === 0).values();
    // Which of those that were under way ended the process is known only if each is alone; the likeliest come last.
    const suspects = due.filter(({ attempts }) => attempts > 0).toSorted((a, b) => a.attempts - b.attempts);
    const rescoreQueue = async (): Promise<number> => {
      let rescored = 0;
      for (const scan of queue) rescored += await rescoreOne(scan);
      return rescored;
    };
    const parts = await Promise.all(Array.from({ length: limits.rescoreConcurrency }, rescoreQueue));
    let rescored = parts.reduce((sum, part) => sum + part, 0);
    for (const scan of suspects) rescored += await rescoreOne(scan);
    return rescored;
  };

  const markAll = async (): Promise<void> => {
    const dueAt = clock.now();
    const feeds = await feedsInForce(database);
    await observeChanges(SHARED, feeds);
    for (const tenant of await database.system.read(dueScans.listTenants)) {
      try {
        await mark(tenant, feeds, dueAt);
      } catch (error) {
        // Other tenants are rescored all the same.
        meters.failed('inputs');
        log.error({ err: error, tenant }, NAME);
      }
    }
  };

  /** Runs one cycle. @returns the number of scans that were frozen again */
  return async (): Promise<number> => {
    const startedMs = performance.now();
    try {
      await markAll();
      await failpoint('scanner.rescoring.marked');
      return await rescoreDue();
    } catch (error) {
      meters.failed('cycle');
      throw error;
    } finally {
      meters.cycleEnded(performance.now() - startedMs);
    }
  };
};
