import { systemCaller } from '@landfall/kernel/core/caller';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Worker } from '@landfall/kernel/core/worker';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import * as store from './decisions.store.ts';
import { publishExpiry } from './events.ts';

const NAME = 'scanner.triage';
const POLL_MS = 30_000;
/** Decisions of one transaction. */
const BATCH = 100;

/**
 * Creates the worker that records expired decisions, each with one event. A decision has no effect from its time of expiry
 * on, also before the worker comes to it.
 */
export const createTriageExpiry = ({ database, ids, log }: Pick<Deps, 'database' | 'ids' | 'log'>) => {
  const expire = (tenant: TenantId): Promise<number> =>
    database.write(tenant, async (tx) => {
      const who = systemCaller(tenant, NAME, ids.uuid());
      const expired = await store.expireDue(tx, tenant, BATCH);
      await failpoint('scanner.triage.expiring');
      for (const decision of expired) await publishExpiry(tx, who, decision);
      return expired.length;
    });

  /** Records what expired. @returns the number of decisions */
  const turn = async (): Promise<number> => {
    let expired = 0;
    for (const tenant of await database.system.read(store.listDueTenants)) expired += await expire(tenant);
    return expired;
  };

  const worker: Worker = pollingWorker({ name: NAME, pollMs: POLL_MS, log, turn });
  return { worker, turn };
};
