import { Cron } from 'croner';
import type { Worker } from '../core/worker.ts';
import type { Database } from '../db/database.ts';
import type { Log } from '../system/log.ts';
import * as store from './schedule.store.ts';

/** Job that is due by the clock, once for all processes. */
export interface Duty {
  /** `kernel.housekeeping`: its row in kernel.schedules. */
  readonly name: string;
  /** Cron pattern of five fields, in UTC. A duty that has never run is due at once. */
  readonly pattern: string;
  /** Safe to run twice: a run that outlives its lease may meet the next one. */
  run(): Promise<void>;
}

interface ScheduleDeps {
  readonly database: Database;
  readonly log: Log;
}

/** Lease of a run, after which another process may take over from one that failed. */
const LEASE_MS = 600_000;
const EVERY_MINUTE = '* * * * *';

const isDue = (pattern: string, lastRunAt: Date | null, now: Date): boolean => {
  if (!lastRunAt) return true;
  const next = new Cron(pattern, { timezone: 'UTC' }).nextRun(lastRunAt);
  return next !== null && next <= now;
};

/** Work that runs once at a time, with its own rule for when it is due. */
interface LeasedWork extends Pick<Duty, 'name' | 'run'> {
  /** By the database's clock; `lastRunAt` is null before the first run. */
  isDue(lastRunAt: Date | null, now: Date): boolean;
}

const claim = ({ database }: Pick<ScheduleDeps, 'database'>, { name, isDue }: LeasedWork): Promise<Date | undefined> =>
  database.system.write(async (tx) => {
    await store.ensure(tx, name);
    const idle = await store.lockIdle(tx, name);
    return idle && isDue(idle.lastRunAt, idle.now) ? store.lease(tx, name, LEASE_MS) : undefined;
  });

/** Runs work if it is due, and returns whether it ran. After an error it is due again when its lease expires. */
export const runLeased = async (deps: Pick<ScheduleDeps, 'database'>, work: LeasedWork): Promise<boolean> => {
  const leaseUntil = await claim(deps, work);
  if (!leaseUntil) return false;
  await work.run();
  await deps.database.system.write((tx) => store.settle(tx, work.name, leaseUntil));
  return true;
};

/** Runs a duty if it is due by the database's clock and not running elsewhere. Returns whether it ran. */
export const runIfDue = (deps: ScheduleDeps, { name, pattern, run }: Duty): Promise<boolean> =>
  runLeased(deps, { name, run, isDue: (lastRunAt, now) => isDue(pattern, lastRunAt, now) });

/** Worker that starts due duties every minute, and at its own start. */
export const createSchedule = (deps: ScheduleDeps, name: string, duties: readonly Duty[]): Worker => {
  const look = async (): Promise<void> => {
    for (const duty of duties) {
      try {
        await runIfDue(deps, duty);
      } catch (error) {
        deps.log.error({ err: error, duty: duty.name }, 'duty');
      }
    }
  };

  return {
    name,
    start: () => {
      let looking = look();
      const clock = new Cron(EVERY_MINUTE, { unref: true }, () => {
        looking = looking.then(look);
      });
      return {
        async [Symbol.asyncDispose]() {
          clock.stop();
          await looking;
        },
      };
    },
  };
};
