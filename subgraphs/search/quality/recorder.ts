import type { Who } from '@landfall/kernel/core/caller';
import type { Deps } from '@landfall/kernel/module';
import * as analytics from './analytics.store.ts';
import { type AnalyticsEvent, MAX_QUERY, textOrNull } from './analytics-events.ts';
import * as history from './history.store.ts';
import { createWriteBuffer } from './write-buffer.ts';

const WRITE_DELAY_MS = 200;
/** Pause in milliseconds after a database failure. */
const PAUSE_MS = 1_000;
/** Maximum number of buffered events during a database outage; further ones are dropped and logged. */
export const MAX_WAITING = 10_000;

/** The last of each person's equal queries: a statement touches no row twice. */
const lastOfEach = (entries: readonly history.NewEntry[]): history.NewEntry[] => [
  ...new Map(entries.map((entry) => [`${entry.subject}\0${entry.query}`, entry])).values(),
];

/** PostgreSQL stores neither NUL nor lone surrogates, which truncation may leave. */
const storable = (query: string | undefined): string | undefined =>
  query?.slice(0, MAX_QUERY).toWellFormed().replaceAll('\0', ' ');

/** Loop that wakes at the first row and waits briefly for more. */
const createLoop = (flush: () => Promise<boolean>) => {
  let notify = (): void => {};
  const start = (): AsyncDisposable => {
    const stopping = new AbortController();
    const stopped = new Promise<void>((resolve) => {
      stopping.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    const sleep = async (ms: number): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      await Promise.race([promise, stopped]);
      clearTimeout(timer);
    };
    let notified = Promise.withResolvers<void>();
    notify = () => notified.resolve();
    const loop = (async () => {
      while (!stopping.signal.aborted) {
        await Promise.race([notified.promise, stopped]);
        notified = Promise.withResolvers<void>();
        await sleep(WRITE_DELAY_MS);
        if (!(await flush())) {
          await sleep(PAUSE_MS);
          notified.resolve();
        }
      }
      await flush();
    })();
    return {
      async [Symbol.asyncDispose]() {
        stopping.abort();
        await loop;
      },
    };
  };
  return { start, wake: () => notify() };
};

/** Records queries after they are answered, so that recording can neither delay nor fail a query. */
export const createRecorder = ({ database, clock, ids, log }: Pick<Deps, 'database' | 'clock' | 'ids' | 'log'>) => {
  const events = createWriteBuffer<Omit<analytics.NewEvent, 'ageMs'>>((tenant, rows) =>
    database.read(tenant, (query) => analytics.insert(query, tenant, rows)),
  );
  const entries = createWriteBuffer<Omit<history.NewEntry, 'ageMs'>>((tenant, rows) =>
    database.read(tenant, (query) => history.upsert(query, tenant, lastOfEach(rows))),
  );
  let dropped = 0;
  let flushing: Promise<boolean> = Promise.resolve(true);

  const write = async (): Promise<boolean> => {
    const now = clock.now().getTime();
    const outcomes = await Promise.allSettled([events.write(now), entries.write(now)]);
    if (dropped > 0) log.warn({ dropped }, 'search analytics were dropped: too many wait');
    dropped = 0;
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) log.warn({ err: failed.reason }, 'search analytics could not be written');
    return failed === undefined;
  };
  /** Serialised, so that rows stay in order. */
  const flush = (): Promise<boolean> => {
    flushing = flushing.then(write);
    return flushing;
  };
  const loop = createLoop(flush);

  const hasRoom = (): boolean => {
    const isFull = events.size + entries.size >= MAX_WAITING;
    if (isFull) dropped++;
    return !isFull;
  };

  return {
    record(caller: Who, event: AnalyticsEvent): void {
      if (!hasRoom()) return;
      const row = { ...event, eventId: ids.uuid(), subject: caller.subject, query: storable(event.query) };
      events.push({ tenant: caller.tenant, at: clock.now().getTime(), row });
      loop.wake();
    },
    /** Puts a query on top of its person's history. */
    remember(caller: Who, searched: { readonly query: string; readonly resultCount: number }): void {
      const query = textOrNull(storable(searched.query));
      if (query === null || !hasRoom()) return;
      const row = { historyId: ids.uuid(), subject: caller.subject, query, resultCount: searched.resultCount };
      entries.push({ tenant: caller.tenant, at: clock.now().getTime(), row });
      loop.wake();
    },
    /** Flushes before a person's history is cleared, and drops their unwritten entries. */
    async flushAndDrop({ tenant, subject }: Who): Promise<void> {
      await flush();
      entries.drop((note) => note.tenant === tenant && note.row.subject === subject);
    },
    /** Writes the buffered events. Never rejects. */
    flush: async (): Promise<void> => void (await flush()),
    /** Worker that writes buffered events, and the rest when it stops; runs in every process that answers queries. */
    companion: { name: 'search.recorder', start: loop.start },
  };
};

export type Recorder = ReturnType<typeof createRecorder>;
