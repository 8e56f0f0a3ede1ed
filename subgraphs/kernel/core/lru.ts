interface LruOptions {
  /** Maximum number of entries; the least recently used one is evicted. */
  readonly most: number;
  /** Age in milliseconds after which an entry is no longer found. */
  readonly lifeMs?: number;
  /** Monotonic time in milliseconds for entry ages. */
  readonly now?: () => number;
}

/** Cache of the entries that were used most recently: a Map is ordered, so the first key is the oldest. */
export const createLru = <K, V>({ most, lifeMs = Infinity, now = () => performance.now() }: LruOptions) => {
  const entries = new Map<K, { readonly value: V; readonly until: number }>();
  return {
    get(key: K): V | undefined {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      if (entry.until <= now()) return undefined;
      entries.set(key, entry);
      return entry.value;
    },
    /** Stores a value, for another life than that of the options if given. */
    set(key: K, value: V, forMs = lifeMs): void {
      entries.delete(key);
      entries.set(key, { value, until: now() + forMs });
      if (entries.size <= most) return;
      for (const oldest of entries.keys()) {
        entries.delete(oldest);
        break;
      }
    },
    clear: (): void => entries.clear(),
  };
};
