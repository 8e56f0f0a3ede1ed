import { useSyncExternalStore } from 'react';
import { createListeners } from './listeners.ts';

type FeedState = 'live' | 'behind' | 'catching-up' | 'stale';
/** Freshness of the page and since when; behind, the instant up to which the server knows what happened. */
type Freshness = { readonly state: FeedState; readonly since: Date };

let current: Freshness = { state: 'catching-up', since: new Date() };
const { subscribe, notify } = createListeners();

/** Called by the feed. The start of a stale time is kept while tries to reconnect go on. */
export function markFeed(state: Exclude<FeedState, 'behind'>): void {
  const isFresh = (one: FeedState) => one === 'live' || one === 'behind';
  put({ state, since: isFresh(state) || isFresh(current.state) ? new Date() : current.since });
}

/** Called by the feed when the server says how far behind it is itself; 0 when it has caught up. */
export function markBehind(seconds: number): void {
  if (seconds > 0) put({ state: 'behind', since: new Date(Date.now() - seconds * 1000) });
  else if (current.state === 'behind') put({ state: 'live', since: new Date() });
}

function put(next: Freshness): void {
  current = next;
  notify();
}

export const useFreshness = (): Freshness => useSyncExternalStore(subscribe, freshness);
export const freshness = (): Freshness => current;
