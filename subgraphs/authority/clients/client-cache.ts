import type { Hints } from '@landfall/kernel/events/hint';

/**
 * Clients that were read a moment ago, so that a busy one costs the database one question a second and not one a
 * request. Losing it is correct: it is asked again. A stale entry is bounded, and can only let in for a second who was
 * let in a second ago: each change of a client or a tenant is an event, which clears this at once in its own process and
 * by its hint in the others; nobody is refused by it; and what a client gets that was stopped meanwhile is denied by the
 * denylist, which is asked each time and remembered by nobody here.
 */
export interface ClientCache<Row> {
  /** What is remembered, while that is young enough to let somebody in. */
  recall(id: string): Row | undefined;
  /** Which changes a read that begins at this moment has seen. */
  epoch(): number;
  /** Remembers what a read of this epoch found, unless something has changed since it began. */
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
