import { timers } from './coalesce.ts';

type BatchLimits = { readonly waitMs: number; readonly most: number };

/** Gathers items and sends them together: `waitMs` after the first, once there are `most`, or at `flush`. */
export function createBatch<T>(send: (items: readonly T[]) => void, { waitMs, most }: BatchLimits, schedule = timers) {
  let pending: T[] = [];
  let cancel: (() => void) | undefined;

  const flush = () => {
    cancel?.();
    cancel = undefined;
    if (pending.length === 0) return;
    const batch = pending;
    pending = [];
    send(batch);
  };
  const add = (item: T) => {
    pending.push(item);
    if (pending.length >= most) flush();
    else cancel ??= schedule(flush, waitMs);
  };
  return { add, flush };
}
