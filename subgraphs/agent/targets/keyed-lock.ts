/** Creates a lock that runs one function at a time for each key. */
export const createKeyedLock = () => {
  const busy = new Map<string, Promise<unknown>>();

  return {
    isBusy: (key: string): boolean => busy.has(key),

    /** Runs `work` after all earlier work with the same key, whether that succeeded or failed. */
    async exclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
      const own = (busy.get(key) ?? Promise.resolve()).then(work, work);
      const settled = own.then(
        () => undefined,
        () => undefined,
      );
      busy.set(key, settled);
      try {
        return await own;
      } finally {
        if (busy.get(key) === settled) busy.delete(key);
      }
    },
  };
};
