import type { Hints } from '@landfall/kernel/events/hint';

const LIFE_MS = 1_000;
const MAX = 1_000;

/**
 * Cache of clients for one second, so that a busy client costs one query a second. A change of a client or tenant is an
 * event that clears it here and, by its hint, in other processes. A stale entry can only admit what was valid a second
 * ago, and the denylist is asked for every token.
 */
export const createClientCache = <Row>(hints: Pick<Hints, 'listen'>) => {
  // Measured by the monotonic clock, which does not jump when the system time is set.
  const rows = new Map<string, { readonly row: Row; readonly until: number }>();
  let epoch = 0;
  const clear = (): void => {
    epoch++;
    rows.clear();
  };
  hints.listen(clear, clear);
  return {
    /** Cached client, while it is young enough. */
    recall(id: string): Row | undefined {
      const known = rows.get(id);
      return known && known.until > performance.now() ? known.row : undefined;
    },
    /** Version of the cache: a read that began before a change is not stored. */
    epoch: () => epoch,
    /** Stores the result of a read of this epoch, unless something changed since. */
    keep(generation: number, id: string, row: Row): void {
      if (generation !== epoch) return;
      if (rows.size >= MAX) rows.clear();
      rows.set(id, { row, until: performance.now() + LIFE_MS });
    },
  };
};
