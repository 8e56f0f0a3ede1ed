import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { heartbeatClient } from '../db/heartbeat.ts';

const CHANNEL = 'landfall_events';
/** Minimum interval in milliseconds between two hints, since each is a transaction. */
const PAUSE_MS = 10;
const RECONNECT_MS = 500;
/** Most bytes of a notification's payload that PostgreSQL accepts, with room to spare. */
const PAYLOAD_BYTES = 7_000;

interface Listener {
  readonly notify: () => void;
  /** Kinds of entities whose events concern the listener; undefined for all. */
  readonly entities?: ReadonlySet<string> | undefined;
}

const concerns = ({ entities: wanted }: Listener, changed: ReadonlySet<string>): boolean =>
  wanted === undefined || changed.size === 0 || !wanted.isDisjointFrom(changed);

/** Payload of a notification: names of entities, or nothing where there are too many to name. */
const payloadOf = (entities: ReadonlySet<string>): string => {
  const names = [...entities].join(',');
  return Buffer.byteLength(names) > PAYLOAD_BYTES ? '' : names;
};

const entitiesIn = (payload: string | undefined): ReadonlySet<string> =>
  new Set(payload === undefined || payload === '' ? [] : payload.split(','));

/**
 * Notifies other processes of new events. Readers do not depend on a hint: they also poll, so a lost hint costs at most
 * their poll interval. It is sent outside every write, and once in 10 ms of a burst, with the kinds of entities that
 * changed, so that a worker is not woken by what does not concern it.
 * @param connection a direct login: LISTEN does not pass through a transaction pooler
 */
export const createHints = (connection: pg.ClientConfig) => {
  const listeners = new Set<Listener>();
  const localListeners = new Set<() => void>();
  const pending = new Set<string>();
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
      const payload = payloadOf(pending);
      pending.clear();
      await client?.query('select pg_notify($1, $2)', [CHANNEL, payload]).catch(() => {});
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
    next.on('notification', ({ payload }) => {
      const changed = entitiesIn(payload);
      for (const listener of listeners) if (concerns(listener, changed)) listener.notify();
    });
    try {
      await next.connect();
      await next.query(`listen ${CHANNEL}`);
      isListening = client === next;
      // Events published while nobody listened are read now, here and elsewhere.
      for (const { notify } of listeners) notify();
      if (isPending) begin();
    } catch {
      lost(next);
      await next.end().catch(() => {});
    }
  };

  const ready = connect();

  const add = (listener: Listener): Disposable => {
    listeners.add(listener);
    return { [Symbol.dispose]: () => void listeners.delete(listener) };
  };

  return {
    /** Publishes a hint about events of these kinds of entities. */
    publish: (entities: Iterable<string>): void => {
      for (const notify of localListeners) notify();
      for (const entity of entities) pending.add(entity);
      isPending = true;
      begin();
    },
    /** Hints about events of these kinds of entities only. A hint that names none concerns every listener. */
    of: (...entities: readonly string[]) => ({
      listen: (notify: () => void): Disposable => add({ notify, entities: new Set(entities) }),
    }),
    /** Calls `notify` after hints from any process, and `onPublish` at once when this process publishes one. */
    listen: (notify: () => void, onPublish?: () => void): Disposable => {
      const listener = add({ notify });
      if (onPublish) localListeners.add(onPublish);
      return {
        [Symbol.dispose]: () => {
          listener[Symbol.dispose]();
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

const noListener: Disposable = { [Symbol.dispose]: () => {} };

/** Hints without a database: none is sent and none arrives. */
export const noHints: Hints = {
  publish: () => {},
  of: () => ({ listen: () => noListener }),
  listen: () => noListener,
  close: async () => {},
};
