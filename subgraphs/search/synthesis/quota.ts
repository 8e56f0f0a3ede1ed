import { type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import * as store from './quota.store.ts';

interface QuotaLimits {
  /** A day of UTC. */
  readonly requestsPerDay: number;
  readonly maxConcurrent: number;
  readonly timeoutMs: number;
}

/** Time after which a run that has not ended is assumed to belong to a process that failed. */
const GRACE_MS = 10_000;

/** Quota of model requests, shared by all processes through the database. */
export const createQuota = (
  { database, ids, log }: Pick<Deps, 'database' | 'ids' | 'log'>,
  { requestsPerDay, maxConcurrent, timeoutMs }: QuotaLimits,
) => ({
  /**
   * Acquires a slot and one request of the day; undefined where either is used up. A request counts whatever its
   * outcome.
   */
  async acquire(tenant: TenantId) {
    const runId = toId(ids.uuid(), 'SynthesisRun');
    const run = await database.write(tenant, async (tx) => {
      await store.lock(tx, tenant);
      await store.removeExpired(tx, tenant);
      return store.acquireRun(tx, tenant, { runId, leaseMs: timeoutMs + GRACE_MS, requestsPerDay, maxConcurrent });
    });
    if (!run) return undefined;
    return {
      async release(): Promise<void> {
        try {
          await database.read(tenant, (query) => store.release(query, tenant, runId));
        } catch (error) {
          log.warn({ err: error }, 'search.synthesis: a place is not given back; it ends by itself');
        }
      },
    };
  },
});

export const pruneUsage = store.prune;

export type Quota = ReturnType<typeof createQuota>;
