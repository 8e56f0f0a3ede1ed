import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import { startPollingLoop } from '@landfall/kernel/core/polling-loop';
import type { Database } from '@landfall/kernel/db/database';
import type { Hints } from '@landfall/kernel/events/hint';
import { type Cursor, cursorOf, isAfter, list, type Notice, newest } from '@landfall/kernel/events/read';
import type { Log } from '@landfall/kernel/system/log';

/** Change notice: never data, only which entity to read again. */
export interface Change {
  readonly cursor: Cursor;
  /** GraphQL typename. */
  readonly type: string;
  readonly id: string;
  readonly version: number;
}

interface Subscription extends Disposable {
  /** Cursor after which a subscriber without changes resumes. */
  readonly from: Cursor;
}

/** Feed of the changes of all tenants, read once in each process. */
export interface ChangeFeed extends AsyncDisposable {
  /**
   * Subscribes to `tenant`'s changes, from now or from after `after`, in order and without duplicates. Changes are
   * delivered only after the promise has resolved; past changes wait for the promise of `onChange`, present ones do
   * not.
   * @throws Fault VAL_INVALID_FORMAT when `after` is newer than every event
   * @param onLost called when the past could not be read, so that the subscriber must reconnect with its last cursor
   */
  subscribe(options: {
    readonly tenant: TenantId;
    readonly after?: Cursor | undefined;
    readonly onChange: (change: Change) => Promise<void> | void;
    readonly onLost: () => void;
  }): Promise<Subscription>;
}

interface ChangeFeedOptions {
  readonly database: Database;
  readonly hints: Hints;
  readonly log: Log;
  /** Poll interval in milliseconds, which bounds the delay of a lost hint. */
  readonly pollMs?: number;
  /** Called with every event of every tenant, before subscribers. */
  readonly onEvent?: (event: Notice) => void;
  /** Whether changes of this type are published; all by default. */
  readonly isPublished?: (type: string) => boolean;
}

const BATCH = 500;

const changeOf = (event: Notice): Change => ({
  cursor: cursorOf(event),
  type: event.entity,
  id: event.entityId,
  version: event.version,
});

interface Subscriber {
  readonly tenant: TenantId;
  /** Receives a change from the reader. */
  tell(change: Change): void;
}

/** Creates the feed: one reader passes the events of all tenants to subscribers, on hints and every `pollMs`. */
export const createChangeFeed = (options: ChangeFeedOptions): ChangeFeed => {
  const { database, hints, log, pollMs = 1_000, onEvent, isPublished = () => true } = options;
  const subscribers = new Set<Subscriber>();
  let position: Cursor | undefined;
  let start: Promise<Cursor> | undefined;

  const dispatch = (event: Notice): void => {
    if (!isPublished(event.entity)) return;
    const change = changeOf(event);
    for (const subscriber of subscribers) if (subscriber.tenant === event.tenant) subscriber.tell(change);
  };

  /** Reads the reader's cursor: initially the newest event, read once for all waiting subscribers. */
  const cursor = async (): Promise<Cursor> => {
    if (position) return position;
    start ??= database.system.read(newest).finally(() => {
      start = undefined;
    });
    const started = await start;
    position ??= started;
    return position;
  };

  /** Delivers all new events. */
  const readOn = async (): Promise<void> => {
    for (let isMore = true; isMore; ) {
      const after = await cursor();
      const events = await database.system.read((query) => list(query, after, BATCH));
      for (const event of events) {
        onEvent?.(event);
        dispatch(event);
        position = cursorOf(event);
      }
      isMore = events.length === BATCH;
    }
  };

  const following = startPollingLoop({
    pollMs,
    hints,
    turn: async () => {
      await readOn();
      return false;
    },
    onError: (err, failures) => {
      if (failures === 1) log.warn({ err }, 'the change feed cannot read; it tries again');
    },
  });

  /** Delivers one page of a tenant's past changes at the subscriber's pace; returns the last event and `isFull`. */
  const sendPage = async (tenant: TenantId, after: Cursor, sendChange: (change: Change) => Promise<boolean>) => {
    const events = await database.read(tenant, (query) => list(query, after, BATCH, tenant));
    for (const event of events) if (isPublished(event.entity) && !(await sendChange(changeOf(event)))) break;
    const last = events.at(-1);
    return { last: last && cursorOf(last), isFull: events.length === BATCH };
  };

  /** Start of a subscription: after the last seen event, or at the newest. */
  const startOf = async (cursor: Cursor | undefined): Promise<Cursor> => {
    const head = await database.system.read(newest);
    if (cursor && isAfter(cursor, head))
      throw new Fault('VAL_INVALID_FORMAT', 'This feed has not come so far: the database may have been restored.');
    return cursor ?? head;
  };

  return {
    async subscribe({ tenant, after, onChange, onLost }) {
      // The reader's position is before this subscriber's start, so that one of the two reads finds each event.
      await cursor();
      const from = await startOf(after);
      let isCatchingUp = true;
      let hasMissed = false;
      let lastSent = from;
      const sendChange = async (change: Change): Promise<boolean> => {
        if (isAfter(change.cursor, lastSent)) {
          lastSent = change.cursor;
          await onChange(change);
        }
        return subscribers.has(subscriber);
      };
      const subscriber: Subscriber = {
        tenant,
        tell: (change) => {
          if (isCatchingUp) hasMissed = true;
          else void sendChange(change);
        },
      };
      subscribers.add(subscriber);
      const end = (): void => void subscribers.delete(subscriber);

      /** Reads the past until it meets the reader, whose events meanwhile are read again. */
      const catchUp = async (): Promise<void> => {
        for (let cursor = from; isCatchingUp && subscribers.has(subscriber); ) {
          hasMissed = false;
          const { last, isFull } = await sendPage(tenant, cursor, sendChange);
          cursor = last ?? cursor;
          isCatchingUp = isFull || hasMissed;
        }
      };
      catchUp().catch((error: unknown) => {
        log.warn({ err: error }, 'a subscriber’s past could not be read');
        end();
        onLost();
      });
      return { from, [Symbol.dispose]: end };
    },
    async [Symbol.asyncDispose]() {
      subscribers.clear();
      await following[Symbol.asyncDispose]();
    },
  };
};
