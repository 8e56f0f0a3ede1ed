/** When a batch goes out without being full, and how much it holds. */
export type BatchLimits = { readonly waitMs: number; readonly most: number };

/** Runs something later; answers what calls it off. */
export type Later = (run: () => void, ms: number) => () => void;

const later: Later = (run, ms) => {
  const id = setTimeout(run, ms);
  return () => clearTimeout(id);
};

/**
 * Gathers things and sends them together: `waitMs` after the first of them, as soon as there are `most`, or when
 * `flush` is called.
 */
export function createBatch<T>(send: (things: readonly T[]) => void, { waitMs, most }: BatchLimits, wait = later) {
  let held: T[] = [];
  let callOff: (() => void) | undefined;

  const flush = () => {
    callOff?.();
    callOff = undefined;
    if (held.length === 0) return;
    const batch = held;
    held = [];
    send(batch);
  };
  const add = (thing: T) => {
    held.push(thing);
    if (held.length >= most) flush();
    else callOff ??= wait(flush, waitMs);
  };
  return { add, flush };
}
