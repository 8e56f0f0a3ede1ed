type Schedule = (run: () => void, ms: number) => () => void;

export const timers: Schedule = (run, ms) => {
  const id = setTimeout(run, ms);
  return () => clearTimeout(id);
};

/** Collects items: flushes the first at once and later ones together, at most once every `everyMs`. */
export function createCoalescer<T>(flush: (items: readonly T[]) => void, everyMs: number, schedule: Schedule = timers) {
  let waiting: T[] = [];
  let cancel: (() => void) | undefined;

  const tick = () => {
    cancel = undefined;
    if (waiting.length === 0) return;
    const items = waiting;
    waiting = [];
    cancel = schedule(tick, everyMs);
    flush(items);
  };

  return {
    add(item: T): void {
      waiting.push(item);
      if (cancel === undefined) tick();
    },
    stop(): void {
      cancel?.();
      cancel = undefined;
      waiting = [];
    },
  };
}
