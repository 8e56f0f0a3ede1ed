import { useSyncExternalStore } from 'react';

/** Interval at which relative times are drawn anew, in milliseconds. */
const TICK_MS = 1000;

let now = new Date();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** Current time to the second. One timer serves the page, and stops when no component shows a relative time. */
export const useNow = (): Date => useSyncExternalStore(subscribe, () => now);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    now = new Date();
    timer = setInterval(tick, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  if (document.hidden) return;
  now = new Date();
  for (const listener of listeners) listener();
}
