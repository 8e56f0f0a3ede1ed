/** Lets one piece of work at a time do with each key what it wants. */
export const createKeyedLock = () => {
  const busy = new Map<string, Promise<unknown>>();

  return {
    isBusy: (key: string): boolean => busy.has(key),

    /** Runs `work` when everything before it with the same key has ended, however it ended. */
    async exclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
      const mine = (busy.get(key) ?? Promise.resolve()).then(work, work);
      const settled = mine.then(
        () => undefined,
        () => undefined,
      );
      busy.set(key, settled);
      try {
        return await mine;
      } finally {
        if (busy.get(key) === settled) busy.delete(key);
      }
    },
  };
};
