import { useSyncExternalStore } from 'react';
import { createListeners } from './listeners.ts';

type FeedState = 'live' | 'behind' | 'catching-up' | 'stale';
/** Freshness of the page and since when; while lagging, the instant of the newest known event. */
type Freshness = { readonly state: FeedState; readonly since: Date };

let current: Freshness = { state: 'catching-up', since: new Date() };
const { subscribe, notify } = createListeners();

/** Sets the freshness. The start of a stale period stays while the feed reconnects. */
export function markFeed(state: Exclude<FeedState, 'behind'>): void {
  const isFresh = (one: FeedState) => one === 'live' || one === 'behind';
  put({ state, since: isFresh(state) || isFresh(current.state) ? new Date() : current.since });
}

/** Sets the server's own lag in seconds; 0 when it has caught up. */
export function recordLag(seconds: number): void {
  if (seconds > 0) put({ state: 'behind', since: new Date(Date.now() - seconds * 1000) });
  else if (current.state === 'behind') put({ state: 'live', since: new Date() });
}

function put(next: Freshness): void {
  current = next;
  notify();
}

export const useFreshness = (): Freshness => useSyncExternalStore(subscribe, freshness);
export const freshness = (): Freshness => current;
