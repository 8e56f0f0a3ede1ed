import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { heartbeatClient } from '../db/heartbeat.ts';

const CHANNEL = 'landfall_events';
/** The shortest time between two hints: each is a transaction of its own. */
const PAUSE_MS = 10;
const RECONNECT_MS = 500;

/**
 * Tells other processes that there is something to read. A hint and never the truth: readers also look by themselves,
 * so a lost hint costs at most their poll interval. It is sent outside every write, and of a burst once in 10 ms.
 */
export interface Hints {
  publish(): void;
  /**
   * Calls `wake` after hints from any process.
   * @param told called at once, before the hint is on its way, when it is this process that tells: for what must not
   *   outlive a write of its own process
   */
  listen(wake: () => void, told?: () => void): Disposable;
  close(): Promise<void>;
}

/** @param connection a direct login: LISTEN does not pass through a transaction pooler */
export const createHints = (connection: pg.ClientConfig): Hints => {
  const listeners = new Set<() => void>();
  const told = new Set<() => void>();
  let client: pg.Client | undefined;
  let isListening = false;
  let isWanted = false;
  let sentAt = Number.NEGATIVE_INFINITY;
  let telling: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  const lost = (gone: pg.Client): void => {
    if (client !== gone) return;
    client = undefined;
    isListening = false;
    if (!isClosed) retry = setTimeout(connect, RECONNECT_MS).unref();
  };

  /** One hint at a time, for everything that was told while the one before was on its way. */
  const send = async (): Promise<void> => {
    while (isWanted && isListening && !isClosed) {
      await sleep(Math.max(0, sentAt + PAUSE_MS - performance.now()));
      sentAt = performance.now();
      isWanted = false;
      await client?.query(`notify ${CHANNEL}`).catch(() => {});
    }
  };

  const begin = (): void => {
    telling ??= send().finally(() => {
      telling = undefined;
    });
  };

  const connect = async (): Promise<void> => {
    const next = heartbeatClient({
      ...connection,
      application_name: 'landfall_hints',
      connectionTimeoutMillis: 2_000,
      // A hint need not survive a power cut, so it waits for no disk.
      options: '-c synchronous_commit=off',
    });
    client = next;
    next.on('error', () => lost(next));
    next.on('end', () => lost(next));
    next.on('notification', () => {
      for (const wake of listeners) wake();
    });
    try {
      await next.connect();
      await next.query(`listen ${CHANNEL}`);
      isListening = client === next;
      // Whatever was told while nobody listened is read now, here and elsewhere.
      for (const wake of listeners) wake();
      if (isWanted) begin();
    } catch {
      lost(next);
      await next.end().catch(() => {});
    }
  };

  const ready = connect();

  return {
    publish: () => {
      for (const note of told) note();
      isWanted = true;
      begin();
    },
    listen: (wake, atOnce) => {
      listeners.add(wake);
      if (atOnce) told.add(atOnce);
      return {
        [Symbol.dispose]: () => {
          listeners.delete(wake);
          if (atOnce) told.delete(atOnce);
        },
      };
    },
    close: async () => {
      isClosed = true;
      clearTimeout(retry);
      await ready;
      await telling;
      await client?.end().catch(() => {});
    },
  };
};
