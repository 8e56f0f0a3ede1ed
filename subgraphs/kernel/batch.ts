/** Answers for keys in their order. */
export type LoadAll<Key, Value> = (keys: readonly Key[]) => Promise<readonly Value[]>;

interface Waiting<Key, Value> {
  readonly key: Key;
  readonly settle: (value: Value) => void;
  readonly fail: (error: unknown) => void;
}

/** A batch that grows past this goes on in the next. */
const LARGEST = 200;

/**
 * Asks for what many requests want at once in one statement: while one is under way, those who come meanwhile wait for
 * the next. Nothing is remembered, so an answer is never older than its question; alone, nobody waits.
 */
export const createBatch = <Key, Value>(loadAll: LoadAll<Key, Value>): ((key: Key) => Promise<Value>) => {
  let waiting: Waiting<Key, Value>[] = [];
  let isBusy = false;

  const answer = async (batch: readonly Waiting<Key, Value>[]): Promise<void> => {
    try {
      const values = await loadAll(batch.map(({ key }) => key));
      if (values.length !== batch.length) throw new TypeError('a batch was not answered key by key');
      for (const [at, value] of values.entries()) batch[at]?.settle(value);
    } catch (error) {
      for (const { fail } of batch) fail(error);
    }
  };

  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, LARGEST);
      waiting = waiting.slice(LARGEST);
      await answer(batch);
    }
    isBusy = false;
  };

  return (key) =>
    new Promise((settle, fail) => {
      waiting.push({ key, settle, fail });
      if (isBusy) return;
      isBusy = true;
      // What arrived in the same turn of the event loop goes along.
      setImmediate(() => void work());
    });
};
