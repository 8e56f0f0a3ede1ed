import type { Change } from './feed.ts';

type Listener = (changes: readonly Change[]) => void;

const listeners = new Set<Listener>();

/** Hears of every change that the feed tells, four times a second at most; answers what ends it. */
export function onChanges(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function notifyChanges(changes: readonly Change[]): void {
  for (const listener of listeners) listener(changes);
}
