import type { TenantId } from '@landfall/kernel/core/ids';
import type { Worker } from '@landfall/kernel/core/worker';
import type { Query } from '@landfall/kernel/db/query';
import * as policies from '@landfall/kernel/egress/policies.store';
import type { ContentDates, Deps } from '@landfall/kernel/module';
import type { Meter } from '@landfall/kernel/system/telemetry';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import * as clocks from '../time/clocks.store.ts';
import { ageSeconds } from '../time/staleness.ts';
import type { TenantTime, TenantTimes } from '../time/tenant-time.ts';
import { CONTENTS, type TimeOptions } from '../time/time-options.ts';

interface StartupGateDeps extends Pick<Deps, 'database' | 'hints' | 'log'> {
  readonly times: TenantTimes;
  readonly meter?: Meter | undefined;
}

/** Pause between two readings of the clocks, in milliseconds. */
const POLL_MS = 60_000;

/**
 * Creates the gate of a start while sealed (proofs 8.1): a sealed tenant without a usable anchor is blocked, which means
 * that its imports and changes are refused in every process until an anchor is set or it is unsealed. The process serves.
 */
export const createStartupGate = ({ database, hints, log, times, meter }: StartupGateDeps) => {
  const countBlocked = meter?.counter('airgap_startup_blocked_total', {
    description: 'Sealed tenants without a usable time anchor at a start, by reason.',
  });

  const sealedTenants = async (): Promise<readonly TenantId[]> => {
    const states = await database.system.read(policies.listAll);
    return states.flatMap(({ tenant, mode }) => (mode === 'sealed' ? [tenant] : []));
  };

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
    for (const tenant of await sealedTenants()) await check(tenant);
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

interface ClockWorkerDeps extends Pick<Deps, 'database' | 'log'> {
  readonly times: Pick<TenantTimes, 'read'>;
  readonly options: Pick<TimeOptions, 'staleness' | 'budgets'>;
  readonly contentDates: ContentDates;
  readonly meter?: Meter | undefined;
}

/** Value of a gauge with its tags. */
type Measured = readonly [value: number, tags: Readonly<Record<string, string>>];

/** Creates the worker that stores the latest time of each tenant, and measures the ages of its anchor and its content. */
export const createClockWorker = ({ database, log, times, options, contentDates, meter }: ClockWorkerDeps) => {
  let ages: readonly Measured[] = [];
  let budgets: readonly Measured[] = [];
  meter?.gauge('airgap_time_anchor_age_seconds', { description: 'Age of the time anchor.', unit: 's' }, () => ages);
  meter?.gauge(
    'airgap_staleness_budget_seconds',
    { description: 'Time until the anchor or content is too old; negative since then.', unit: 's' },
    () => budgets,
  );

  /** Time that is left of the budgets of a tenant's content. */
  const contentBudgets = async (query: Query, tenant: TenantId, now: Date): Promise<readonly Measured[]> => {
    const dates = await contentDates(query, tenant);
    return CONTENTS.flatMap((content) => {
      const date = dates[content];
      const left = date && options.budgets[content].breachSeconds - ageSeconds(now, date);
      return left === null ? [] : [[left, { tenant, content }] as const];
    });
  };

  /** Stores and measures once. */
  const turn = async (): Promise<number> => {
    const known = await database.system.read(clocks.listAll);
    const found: Measured[] = [];
    const left: Measured[] = [];
    for (const { tenant } of known) {
      const { now, age, contents } = await database.read(tenant, async (query) => {
        const time = await times.read(query, tenant);
        return { now: time.now, age: time.ageSeconds, contents: await contentBudgets(query, tenant, time.now) };
      });
      await database.system.write((tx) => clocks.store(tx, tenant, now));
      if (age !== null) found.push([age, { tenant }]);
      if (age !== null) left.push([options.staleness.breachSeconds - age, { tenant, content: 'anchor' }]);
      left.push(...contents);
    }
    [ages, budgets] = [found, left];
    return 0;
  };

  return { turn, worker: pollingWorker({ name: 'airgap.clock', pollMs: POLL_MS, log, turn }) };
};
