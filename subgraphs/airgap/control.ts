import type { TenantId } from '@landfall/kernel/core/ids';
import type { DestinationDirectory } from '@landfall/kernel/egress/configured';
import type { OwnServices } from '@landfall/kernel/egress/judgement';
import { find } from '@landfall/kernel/egress/policies.store';
import type { ContentDates, Deps, PeopleDirectory } from '@landfall/kernel/module';
import type { Meter } from '@landfall/kernel/system/telemetry';
import { createDecisions } from './policy/decisions.ts';
import { createPreflight } from './policy/preflight.ts';
import { createSeal } from './seal/seal.ts';
import { createClockWorker, createStartupGate } from './seal/startup-gate.ts';
import { createStatus } from './seal/status.ts';
import { createVerify, type KitChecks } from './seal/verify.ts';
import { createClockStarter } from './time/clock-starter.ts';
import { type MonotonicReading, readMonotonicClock as readMachineClock } from './time/monotonic-clock.ts';
import { createTenantTime } from './time/tenant-time.ts';
import type { TimeOptions } from './time/time-options.ts';
import { createTimeService } from './time/time-service.ts';

export interface ControlPorts {
  readonly time: TimeOptions;
  readonly destinations: DestinationDirectory;
  readonly ownServices: OwnServices;
  readonly contentDates: ContentDates;
  readonly kitChecks: KitChecks;
  readonly people: Pick<PeopleDirectory, 'listTenants'>;
  readonly meter?: Meter | undefined;
  readonly readMonotonicClock?: () => MonotonicReading;
}

/** Controller and time service of the air gap (spec 2.7, 4.6). */
export const createControl = (
  deps: Deps,
  {
    time: options,
    destinations,
    ownServices,
    contentDates,
    kitChecks,
    people,
    meter,
    readMonotonicClock = readMachineClock,
  }: ControlPorts,
) => {
  const times = createTenantTime({ ...deps, options, readMonotonicClock });
  const gate = createStartupGate({ ...deps, times, meter });
  const clock = createClockWorker({ ...deps, times, options, contentDates, meter });
  const starter = createClockStarter({ ...deps, people });
  const { database } = deps;
  const anchoredNow = (tenant: TenantId): Promise<Date> =>
    database.read(tenant, async (query) => (await times.read(query, tenant)).now);
  /** Trusted time for an import: while sealed it needs an anchor that is known, trusted and not too old. */
  const importNow = (tenant: TenantId): Promise<Date> =>
    database.read(tenant, async (query) => {
      const isSealed = (await find(query, tenant))?.mode === 'sealed';
      return (await (isSealed ? times.require(query, tenant) : times.read(query, tenant))).now;
    });
  const status = createStatus(deps);
  const seal = createSeal({ ...deps, times, meter });
  const preflight = createPreflight({ ...deps, destinations, ownServices });
  const decisions = createDecisions(deps);
  const verify = createVerify({ ...deps, options, times, kitChecks });
  const time = createTimeService({ ...deps, options, times, readMonotonicClock, contentDates, accepted: gate.lift });
  return {
    operations: [
      status,
      seal.setPolicy,
      preflight,
      decisions,
      verify,
      time.status,
      time.setAnchor,
      seal.seal,
      seal.unseal,
    ],
    workers: [starter.worker, clock.worker],
    companions: [gate.worker],
    notes: gate.notes,
    anchoredNow,
    importNow,
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
    async storeClocks(): Promise<void> {
      await starter.turn();
      await clock.turn();
    },
  };
};

export type Control = ReturnType<typeof createControl>;
