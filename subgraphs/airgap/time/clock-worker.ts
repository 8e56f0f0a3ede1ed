import type { ContentDates, Deps, PeopleDirectory } from '@landfall/kernel/module';
import type { Meter } from '@landfall/kernel/system/telemetry';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import * as clocks from './clocks.store.ts';
import { createContentAges } from './content-ages.ts';
import type { TenantTimes } from './tenant-time.ts';
import type { TimeOptions } from './time-options.ts';

const POLL_MS = 60_000;

interface ClockWorkerDeps extends Pick<Deps, 'database' | 'clock' | 'log'> {
  readonly people: Pick<PeopleDirectory, 'listTenants'>;
  readonly times: Pick<TenantTimes, 'read'>;
  readonly options: Pick<TimeOptions, 'staleness' | 'budgets'>;
  readonly contentDates: ContentDates;
  readonly meter?: Meter | undefined;
}

/** Value of a gauge with its tags. */
type Measured = readonly [value: number, tags: Readonly<Record<string, string>>];

/**
 * Creates the worker that begins the clock of every tenant, so that one without an anchor has a latest time too, stores
 * the latest times, and measures the ages of anchors and content.
 */
export const createClockWorker = (deps: ClockWorkerDeps) => {
  const { database, clock, log, people, times, options, meter } = deps;
  const contentAges = createContentAges(deps);
  let ages: readonly Measured[] = [];
  let budgets: readonly Measured[] = [];
  meter?.gauge('airgap_time_anchor_age_seconds', { description: 'Age of the time anchor.', unit: 's' }, () => ages);
  meter?.gauge(
    'airgap_staleness_budget_seconds',
    { description: 'Time until the anchor or content is too old; negative since then.', unit: 's' },
    () => budgets,
  );

  /** Begins, stores and measures once. */
  const turn = async (): Promise<number> => {
    const tenants = await database.system.read(people.listTenants);
    await database.system.write((tx) => clocks.beginAll(tx, tenants, clock.now()));
    const found: Measured[] = [];
    const left: Measured[] = [];
    for (const { tenant } of await database.system.read(clocks.listAll)) {
      const { now, age, contents } = await database.read(tenant, async (query) => {
        const time = await times.read(query, tenant);
        return { now: time.now, age: time.ageSeconds, contents: await contentAges(query, tenant, time.now) };
      });
      await database.system.write((tx) => clocks.store(tx, tenant, now));
      if (age !== null) found.push([age, { tenant }]);
      const anchor = { content: 'anchor', ageSeconds: age, breachSeconds: options.staleness.breachSeconds };
      for (const { content, ageSeconds, breachSeconds } of [anchor, ...contents])
        if (ageSeconds !== null) left.push([breachSeconds - ageSeconds, { tenant, content }]);
    }
    [ages, budgets] = [found, left];
    return 0;
  };

  return { turn, worker: pollingWorker({ name: 'airgap.clock', pollMs: POLL_MS, log, turn }) };
};
