import type { TenantId } from '@landfall/kernel/core/ids';
import { find } from '@landfall/kernel/egress/policies.store';
import type { Deps, ModulePorts, PeopleDirectory } from '@landfall/kernel/module';
import { createDecisions } from './policy/decisions.ts';
import { createPreflight } from './policy/preflight.ts';
import { createSeal } from './seal/seal.ts';
import { createStartupGate } from './seal/startup-gate.ts';
import { createStatus } from './seal/status.ts';
import { createVerify, type KitChecks } from './seal/verify.ts';
import { createClockWorker } from './time/clock-worker.ts';
import { type MonotonicReading, readMonotonicClock as readMachineClock } from './time/monotonic-clock.ts';
import { createTenantTime } from './time/tenant-time.ts';
import type { TimeOptions } from './time/time-options.ts';
import { createTimeService } from './time/time-service.ts';

export interface ControlPorts extends Pick<ModulePorts, 'destinations' | 'ownServices' | 'contentDates' | 'meter'> {
  readonly time: TimeOptions;
  readonly kitChecks: KitChecks;
  readonly people: Pick<PeopleDirectory, 'listTenants'>;
  readonly readMonotonicClock?: () => MonotonicReading;
}

/** Controller and time service of the air gap (spec 2.7, 4.6). */
export const createControl = (deps: Deps, { time: options, ...ports }: ControlPorts) => {
  const around = { readMonotonicClock: readMachineClock, ...deps, ...ports, options };
  const times = createTenantTime(around);
  const gate = createStartupGate({ ...around, times });
  const clock = createClockWorker({ ...around, times });
  const { database } = deps;
  const anchoredNow = (tenant: TenantId): Promise<Date> =>
    database.read(tenant, async (query) => (await times.read(query, tenant)).now);
  /** Trusted time for an import: while sealed it needs an anchor that is known, trusted and not too old. */
  const importTime = (tenant: TenantId) =>
    database.read(tenant, async (query) => {
      const isSealed = (await find(query, tenant))?.mode === 'sealed';
      const { now, anchor } = await (isSealed ? times.require(query, tenant) : times.read(query, tenant));
      return { now, accuracySeconds: anchor && times.isTrusted(anchor) ? anchor.accuracySeconds : 0 };
    });
  const importNow = async (tenant: TenantId): Promise<Date> => (await importTime(tenant)).now;
  const status = createStatus(deps);
  const seal = createSeal({ ...around, times });
  const preflight = createPreflight(around);
  const decisions = createDecisions(deps);
  const verify = createVerify({ ...around, times });
  const time = createTimeService({ ...around, times, accepted: gate.lift });
  return {
    operations: [status, preflight, decisions, verify, ...Object.values(seal), ...Object.values(time)],
    workers: [clock.worker],
    companions: [gate.worker],
    notes: gate.notes,
    anchoredNow,
    importNow,
    importTime,
    status,
    seal,
    preflight,
    decisions,
    verify,
    time,
    times,
    /** Checks every sealed tenant, as at a start. */
    checkStart: gate.run,
    /** Begins clocks, stores the latest times and measures the anchors once. */
    storeClocks: clock.turn,
  };
};

export type Control = ReturnType<typeof createControl>;
