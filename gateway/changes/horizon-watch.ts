import type { Database } from '@landfall/kernel/db/database';
import { findHorizonLag, type HorizonLag } from '@landfall/kernel/events/horizon';
import type { Log } from '@landfall/kernel/system/log';
import type { Meter } from '@landfall/kernel/system/telemetry';

/** Measures the event horizon until it is disposed of. */
export interface HorizonWatch extends AsyncDisposable {
  /** Present lag of readers in seconds. While the database does not answer, it grows with the clock. */
  lag(): HorizonLag;
  /** Calls `onLag` after each measurement, until the returned function is called. */
  follow(onLag: (lag: HorizonLag) => void): () => void;
}

interface HorizonWatchOptions {
  readonly database: Database;
  readonly log: Log;
  readonly meter?: Meter;
  /** Interval between two measurements in milliseconds. */
  readonly everyMs?: number;
}

/** Age in seconds from which a held horizon is logged; transactions of the product take milliseconds. */
const LONG = 30;

/** Creates the watch, which measures the event horizon's age every `everyMs` for gauges, and logs a long hold. */
export const createHorizonWatch = ({ database, log, meter, everyMs = 2_000 }: HorizonWatchOptions): HorizonWatch => {
  const followers = new Set<(lag: HorizonLag) => void>();
  let measured: HorizonLag = { backlog: 0, held: 0 };
  let measuredAt = performance.now();
  let isFailing = false;
  let isLong = false;

  const lag = (): HorizonLag => {
    if (!isFailing) return measured;
    const since = (performance.now() - measuredAt) / 1_000;
    return { backlog: measured.backlog + since, held: measured.held + since };
  };

  const measure = async (): Promise<void> => {
    try {
      measured = await database.system.read(findHorizonLag);
      measuredAt = performance.now();
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'the event horizon cannot be measured');
      isFailing = true;
    }
    if (measured.held > LONG && !isLong)
      log.warn(measured, 'an open transaction holds back live updates, sealing and search; run `landfall doctor`');
    isLong = measured.held > LONG;
    for (const follower of followers) follower(lag());
  };

  let measuring = Promise.resolve();
  let isBusy = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    measuring = measure().finally(() => {
      isBusy = false;
    });
  }, everyMs);
  timer.unref();

  meter?.gauge(
    'events.horizon.age',
    { description: 'Age of the oldest open transaction that readers of events wait for.', unit: 's' },
    () => [[lag().held]],
  );
  meter?.gauge(
    'events.backlog.age',
    { description: 'Age of the oldest event that is written and cannot be read yet.', unit: 's' },
    () => [[lag().backlog]],
  );

  return {
    lag,
    follow(onLag) {
      followers.add(onLag);
      return () => void followers.delete(onLag);
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      followers.clear();
      await measuring;
    },
  };
};
