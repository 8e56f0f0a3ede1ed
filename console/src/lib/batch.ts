import { timers } from './coalesce.ts';

type BatchLimits = { readonly waitMs: number; readonly most: number };

/** Gathers things and sends them together: `waitMs` after the first, once there are `most`, or at `flush`. */
export function createBatch<T>(send: (things: readonly T[]) => void, { waitMs, most }: BatchLimits, schedule = timers) {
  let waiting: T[] = [];
  let cancel: (() => void) | undefined;

  const flush = () => {
    cancel?.();
    cancel = undefined;
    if (waiting.length === 0) return;
    const batch = waiting;
    waiting = [];
    send(batch);
  };
  const add = (thing: T) => {
    waiting.push(thing);
    if (waiting.length >= most) flush();
    else cancel ??= schedule(flush, waitMs);
  };
  return { add, flush };
}
