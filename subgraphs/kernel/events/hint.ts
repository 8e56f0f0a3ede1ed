import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { heartbeatClient } from '../db/heartbeat.ts';

const CHANNEL = 'landfall_events';
/** Minimum interval in milliseconds between two hints, since each is a transaction. */
const PAUSE_MS = 10;
const RECONNECT_MS = 500;

/**
 * Notifies other processes of new events. Readers do not depend on a hint: they also poll, so a lost hint costs at most
 * their poll interval. It is sent outside every write, and once in 10 ms of a burst.
 * @param connection a direct login: LISTEN does not pass through a transaction pooler
 */
export const createHints = (connection: pg.ClientConfig) => {
  const listeners = new Set<() => void>();
  const localListeners = new Set<() => void>();
  let client: pg.Client | undefined;
  let isListening = false;
  let isPending = false;
  let sentAt = Number.NEGATIVE_INFINITY;
  let sending: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  const lost = (removed: pg.Client): void => {
    if (client !== removed) return;
    client = undefined;
    isListening = false;
    if (!isClosed) retry = setTimeout(connect, RECONNECT_MS).unref();
  };

  /** Sends one hint for all events published since the previous one. */
  const send = async (): Promise<void> => {
    while (isPending && isListening && !isClosed) {
      await sleep(Math.max(0, sentAt + PAUSE_MS - performance.now()));
      sentAt = performance.now();
      isPending = false;
      await client?.query(`notify ${CHANNEL}`).catch(() => {});
    }
  };

  const begin = (): void => {
    sending ??= send().finally(() => {
      sending = undefined;
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
      for (const notify of listeners) notify();
    });
    try {
      await next.connect();
      await next.query(`listen ${CHANNEL}`);
      isListening = client === next;
      // Events published while nobody listened are read now, here and elsewhere.
      for (const notify of listeners) notify();
      if (isPending) begin();
    } catch {
      lost(next);
      await next.end().catch(() => {});
    }
  };

  const ready = connect();

  return {
    publish: (): void => {
      for (const notify of localListeners) notify();
      isPending = true;
      begin();
    },
    /** Calls `notify` after hints from any process, and `onPublish` at once when this process publishes one. */
    listen: (notify: () => void, onPublish?: () => void): Disposable => {
      listeners.add(notify);
      if (onPublish) localListeners.add(onPublish);
      return {
        [Symbol.dispose]: () => {
          listeners.delete(notify);
          if (onPublish) localListeners.delete(onPublish);
        },
      };
    },
    close: async (): Promise<void> => {
      isClosed = true;
      clearTimeout(retry);
      await ready;
      await sending;
      await client?.end().catch(() => {});
    },
  };
};

export type Hints = ReturnType<typeof createHints>;
