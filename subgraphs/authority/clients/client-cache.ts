import type { Hints } from '@landfall/kernel/events/hint';

/**
 * Cache of clients for one second, so that a busy client costs one query a second. A change of a client or tenant is an
 * event that clears it here and, by its hint, in other processes. A stale entry can only admit what was valid a second
 * ago, and the denylist is asked for every token.
 */
interface ClientCache<Row> {
  /** Cached client, while it is young enough. */
  recall(id: string): Row | undefined;
  /** Version of the cache: a read that began before a change is not stored. */
  epoch(): number;
  /** Stores the result of a read of this epoch, unless something changed since. */
  keep(epoch: number, id: string, row: Row): void;
}

const LIFE_MS = 1_000;
const MOST = 1_000;

export const createClientCache = <Row>(hints: Pick<Hints, 'listen'>): ClientCache<Row> => {
  // By the machine's own monotonic clock: an hour that somebody sets makes nothing younger.
  const rows = new Map<string, { readonly row: Row; readonly until: number }>();
  let epoch = 0;
  const forget = (): void => {
    epoch++;
    rows.clear();
  };
  hints.listen(forget, forget);
  return {
    recall(id) {
      const known = rows.get(id);
      return known && known.until > performance.now() ? known.row : undefined;
    },
    epoch: () => epoch,
    keep(seen, id, row) {
      if (seen !== epoch) return;
      if (rows.size >= MOST) rows.clear();
      rows.set(id, { row, until: performance.now() + LIFE_MS });
    },
  };
};
