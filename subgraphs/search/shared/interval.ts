import { startPollingLoop } from '@landfall/kernel/core/polling-loop';
import type { Worker } from '@landfall/kernel/core/worker';
import type { Deps } from '@landfall/kernel/module';
import { runLeased } from '@landfall/kernel/work/schedule';

/** Work that is due at an interval, once for all processes. */
export interface IntervalWork {
  /** `search.quality-monitor`: its row in kernel.schedules. */
  readonly name: string;
  /** Milliseconds from the end of one run to the next. */
  readonly everyMs: number;
  /** Safe to run twice. */
  run(): Promise<void>;
}

/** Maximum pause in milliseconds between checks for work that a dead process left. */
const MAX_POLL_MS = 60_000;
/** Minimum pause in milliseconds between checks: work with a ten-second interval is late by at most two seconds. */
const SHORTEST_LOOK_MS = 2_000;

const lookMs = (leastMs: number): number => Math.min(MAX_POLL_MS, Math.max(SHORTEST_LOOK_MS, leastMs / 5));

/** Runs due work under a lease. @returns whether this call ran it */
export const runIfElapsed = (deps: Pick<Deps, 'database'>, { name, everyMs, run }: IntervalWork): Promise<boolean> =>
  runLeased(deps, {
    name,
    run,
    isDue: (lastRunAt, now) => lastRunAt === null || now.getTime() - lastRunAt.getTime() >= everyMs,
  });

interface Intervals {
  readonly name: string;
  readonly leastMs: number;
  works(): readonly IntervalWork[] | Promise<readonly IntervalWork[]>;
}

/** Creates a worker with an interval in seconds, which a cron pattern cannot express. */
export const createIntervals = (
  { database, log }: Pick<Deps, 'database' | 'log'>,
  { name, leastMs, works }: Intervals,
): Worker => {
  const runOne = async (work: IntervalWork): Promise<void> => {
    try {
      await runIfElapsed({ database }, work);
    } catch (error) {
      log.error({ err: error, work: work.name }, 'interval');
    }
  };
  return {
    name,
    start: () =>
      startPollingLoop({
        pollMs: lookMs(leastMs),
        turn: async (signal) => {
          for (const work of await works()) {
            if (signal.aborted) break;
            await runOne(work);
          }
          return false;
        },
        onError: (err) => log.error({ err }, name),
      }),
  };
};
