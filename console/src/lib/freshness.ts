import { useSyncExternalStore } from 'react';

export type FeedState = 'live' | 'catching-up' | 'stale';
/** How fresh the page is, and since when that holds. */
export type Freshness = { readonly state: FeedState; readonly since: Date };

let current: Freshness = { state: 'catching-up', since: new Date() };
const listeners = new Set<() => void>();

/** Called by the feed. The start of a stale time is kept while tries to reconnect go on. */
export function markFeed(state: FeedState): void {
  const since = state !== 'live' && current.state !== 'live' ? current.since : new Date();
  current = { state, since };
  for (const listener of listeners) listener();
}

export const useFreshness = (): Freshness => useSyncExternalStore(subscribe, freshness);
export const freshness = (): Freshness => current;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
