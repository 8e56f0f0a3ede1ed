import { detached, refuseWhileConnected } from './connection-use.ts';
import { Fault } from './fault.ts';

/** Loads the values of several keys, in the order of the keys. */
type LoadAll<Key, Value> = (keys: readonly Key[]) => Promise<readonly Value[]>;

interface BatchOptions {
  /** Age of a running batch in milliseconds after which the next batch starts without waiting for it. */
  readonly patienceMs?: number;
  /** Longest time in milliseconds until the batch of a key begins; then SYS_OVERLOADED. */
  readonly waitMs?: number;
}

interface Waiting<Key, Value> {
  readonly key: Key;
  readonly settle: (value: Value) => void;
  readonly fail: (error: unknown) => void;
  readonly since: number;
}

/** Upper bound of keys in one batch; the remaining keys form the next batch. */
const LARGEST = 200;
/** Upper bound of running batches: one that is on time, the others stuck. */
const MAX_CONCURRENT = 4;

/**
 * Loads the keys of concurrent requests in one statement: keys that arrive while a batch runs form the next batch.
 * Nothing is cached, so a value is never older than its request, and a single key does not wait. The next batch
 * overtakes a stuck one, and no key waits longer than `waitMs`.
 */
export const createBatch = <Key, Value>(
  loadAll: LoadAll<Key, Value>,
  { patienceMs: timeoutMs = 250, waitMs = 5_000 }: BatchOptions = {},
): ((key: Key) => Promise<Value>) => {
  let waiting: Waiting<Key, Value>[] = [];
  let inProgress = 0;
  /** Whether a batch that is on time runs or is about to start. */
  let isBusy = false;
  let expiry: NodeJS.Timeout | undefined;

  const answer = async (batch: readonly Waiting<Key, Value>[]): Promise<void> => {
    try {
      const values = await loadAll(batch.map(({ key }) => key));
      if (values.length !== batch.length) throw new TypeError('a batch was not answered key by key');
      for (const [at, value] of values.entries()) batch[at]?.settle(value);
    } catch (error) {
      for (const { fail } of batch) fail(error);
    }
  };

  /** Refuses the keys that wait too long; called only while stuck batches occupy every slot. */
  const expire = (): void => {
    clearTimeout(expiry);
    const due = performance.now() - waitMs;
    for (const { fail } of waiting.filter(({ since }) => since <= due))
      fail(new Fault('SYS_OVERLOADED', 'The database did not answer in time. Try again.', { waitMs }));
    waiting = waiting.filter(({ since }) => since > due);
    const oldest = waiting[0];
    if (oldest && inProgress >= MAX_CONCURRENT) expiry = setTimeout(expire, Math.max(1, oldest.since - due));
  };

  const begin = (): void => {
    isBusy = false;
    if (waiting.length === 0) return;
    if (inProgress >= MAX_CONCURRENT) {
      expire();
      return;
    }
    const batch = waiting.slice(0, LARGEST);
    waiting = waiting.slice(LARGEST);
    isBusy = true;
    inProgress += 1;
    let isLate = false;
    const patience = setTimeout(() => {
      isLate = true;
      begin();
    }, timeoutMs);
    void answer(batch).then(() => {
      clearTimeout(patience);
      inProgress -= 1;
      if (!isLate || !isBusy) begin();
    });
  };

  return (key) => {
    refuseWhileConnected('a batch of another connection');
    return new Promise((settle, fail) => {
      waiting.push({ key, settle, fail, since: performance.now() });
      if (isBusy) return;
      if (inProgress >= MAX_CONCURRENT) {
        expire();
        return;
      }
      isBusy = true;
      // Calls of the same turn of the event loop join the batch, which runs without the context of any caller.
      detached(() => setImmediate(begin));
    });
  };
};

/** Reads the rows of some keys, in any order. */
type ListOf<Row> = (keys: readonly string[]) => Promise<readonly Row[]>;
type Keyed<Name extends string> = { readonly [K in Name]: string | null };

/** Batch that loads the row of each key, which is its member `name`; null where there is none. */
export const createBatchOfOne = <Name extends string, Row extends Keyed<Name>>(list: ListOf<Row>, name: Name) =>
  createBatch(async (keys: readonly string[]): Promise<readonly (Row | null)[]> => {
    const found = new Map((await list(keys)).map((row) => [String(row[name]), row]));
    return keys.map((key) => found.get(key) ?? null);
  });

/** Batch that loads the rows of each key, which is their member `name`. */
export const createBatchOfMany = <Name extends string, Row extends Keyed<Name>>(list: ListOf<Row>, name: Name) =>
  createBatch(async (keys: readonly string[]): Promise<readonly (readonly Row[])[]> => {
    const found = Map.groupBy(await list(keys), (row) => String(row[name]));
    return keys.map((key) => found.get(key) ?? []);
  });
