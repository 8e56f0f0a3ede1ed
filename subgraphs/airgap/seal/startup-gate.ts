import type { TenantId } from '@landfall/kernel/core/ids';
import type { Worker } from '@landfall/kernel/core/worker';
import type { Query } from '@landfall/kernel/db/query';
import * as policies from '@landfall/kernel/egress/policies.store';
import type { Deps } from '@landfall/kernel/module';
import type { Meter } from '@landfall/kernel/system/telemetry';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import type { TenantTime, TenantTimes } from '../time/tenant-time.ts';

interface StartupGateDeps extends Pick<Deps, 'database' | 'hints' | 'log'> {
  readonly times: TenantTimes;
  readonly meter?: Meter | undefined;
}

const POLL_MS = 60_000;

/**
 * Creates the gate of a start while sealed (proofs 8.1): a sealed tenant without a usable anchor is blocked, which means
 * that its imports and changes are refused in every process until an anchor is set or it is unsealed. The process serves.
 */
export const createStartupGate = ({ database, hints, log, times, meter }: StartupGateDeps) => {
  const countBlocked = meter?.counter('airgap_startup_blocked_total', {
    description: 'Sealed tenants without a usable time anchor at a start, by reason.',
  });

  const check = async (tenant: TenantId): Promise<void> => {
    const reason = await database.read(tenant, async (query) => times.startReason(await times.read(query, tenant)));
    const changed = await database.system.write((tx) => policies.setBlocked(tx, tenant, reason ?? null));
    if (changed > 0) hints.publish(['AirGap']);
    if (reason === undefined) return;
    countBlocked?.({ tenant, reason });
    log.warn({ tenant, reason }, 'a sealed tenant has no usable time anchor; its imports and changes are refused');
  };

  /** Checks every sealed tenant, as at a start. */
  const run = async (): Promise<void> => {
    for (const { tenant, mode } of await database.system.read(policies.listAll))
      if (mode === 'sealed') await check(tenant);
  };

  let isDone = false;
  const worker: Worker = pollingWorker({
    name: 'airgap.startup',
    pollMs: POLL_MS,
    log,
    async turn() {
      if (!isDone) await run();
      isDone = true;
      return 0;
    },
  });

  return {
    run,
    worker,
    /** Lifts the block of a tenant once its anchor carries a start. */
    async lift(query: Query, tenant: TenantId, time: TenantTime): Promise<void> {
      if (times.startReason(time) === undefined) await policies.setBlocked(query, tenant, null);
    },
    /** Warnings of blocked tenants. */
    async notes(): Promise<readonly string[]> {
      const states = await database.system.read(policies.listAll);
      return states.flatMap(({ tenant, blockedReason }) =>
        blockedReason === null
          ? []
          : [
              `${tenant} is sealed without a usable time anchor (${blockedReason}): its imports and changes are refused`,
            ],
      );
    },
  };
};
