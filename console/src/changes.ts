import { isAffected } from './lib/affected-result.ts';
import { notifyChanges } from './lib/change-listeners.ts';
import { createCoalescer } from './lib/coalesce.ts';
import { type Change, type FeedListener, readFeed } from './lib/feed.ts';
import { markFeed, recordLag } from './lib/freshness.ts';
import { client } from './lib/graph-client.ts';
import { sessionFetch } from './lib/session.ts';

/** Interval between refetches: four a second. */
const EVERY_MS = 250;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 15_000;

/** Follows `/changes` while the page is visible, refetches the affected queries, and reconnects with back-off. */
export function followChanges(): void {
  const coalescer = createCoalescer<Change>(refetch, EVERY_MS);
  let last: string | undefined;
  let wait = FIRST_RETRY_MS;
  let wasLive = false;
  let line: AbortController | undefined;

  const listener: FeedListener = {
    opened: () => {
      // Without a cursor to resume after, the whole page may be old; failed queries are refetched anyway.
      if (wasLive) recover(last === undefined);
      wasLive = true;
      wait = FIRST_RETRY_MS;
      markFeed('live');
    },
    seen: (eventId) => {
      last = eventId;
    },
    changed: coalescer.add,
    behind: recordLag,
  };

  const follow = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const known = await readFeed('/changes', last, signal, listener, { get: sessionFetch }).catch(() => true);
      if (!known) last = undefined;
      if (signal.aborted) return;
      markFeed('stale');
      // The page stays stale until a connection is open: a server that accepts connections and sends nothing has not
      // recovered.
      await pause(wait, signal);
      wait = Math.min(wait * 2, LAST_RETRY_MS);
    }
  };

  const attend = () => {
    if (document.hidden) {
      line?.abort();
      line = undefined;
    } else if (line === undefined) {
      line = new AbortController();
      if (wasLive) markFeed('catching-up');
      void follow(line.signal);
    }
  };
  document.addEventListener('visibilitychange', attend);
  attend();
}

/** Refetches every query on the page with a changed entity or a watched type. */
function refetch(changes: readonly Change[]): void {
  const types = new Set(changes.map(({ type }) => type));
  for (const query of client.getObservableQueries('active')) {
    const watched: unknown = query.options.context?.watch;
    const watches = Array.isArray(watched) && watched.some((type) => types.has(type));
    if (watches || isAffected(query.getCurrentResult().data, changes)) ask(query);
  }
  notifyChanges(changes);
}

type Query = ReturnType<typeof client.getObservableQueries> extends ReadonlySet<infer Q> ? Q : never;

/** Queries under way, and whether something changed meanwhile. */
const inProgress = new Map<Query, boolean>();

/** Refetches a query, one request at a time, so that a slow server gets no more load and the last answer is current. */
function ask(query: Query): void {
  if (inProgress.has(query)) {
    inProgress.set(query, true);
    return;
  }
  inProgress.set(query, false);
  const answered = () => {
    const repeated = inProgress.get(query) === true && client.getObservableQueries('active').has(query);
    inProgress.delete(query);
    if (repeated) ask(query);
  };
  // A failed refetch shows in the query's own result.
  query.refetch().then(answered, answered);
}

/** Refetches failed queries, or everything on the page, after a lost connection. */
function recover(everything: boolean): void {
  for (const query of client.getObservableQueries('active')) {
    if (everything || query.getCurrentResult().error !== undefined) ask(query);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const id = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(id);
      resolve();
    });
  });
}
