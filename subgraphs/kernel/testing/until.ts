import { setTimeout as sleep } from 'node:timers/promises';

type Absent = false | undefined | null;

interface UntilOptions {
  /** Longest wait in milliseconds, before the condition counts as failed. */
  readonly withinMs?: number;
  /** Pause between two looks in milliseconds. */
  readonly everyMs?: number;
}

/**
 * Polls `look` until it returns a value, and returns it: the one wait of all tests. It is bounded, so that a condition
 * that never holds fails its own test by name and not the whole file by its time limit. Two minutes are far more than
 * any condition takes on a loaded machine.
 * @throws Error that quotes the condition when it does not hold in time
 */
export const until = async <T>(
  look: () => T | Absent | Promise<T | Absent>,
  { withinMs = 120_000, everyMs = 10 }: UntilOptions = {},
): Promise<T> => {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== false && found !== undefined && found !== null) return found;
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${look}`);
    await sleep(everyMs);
  }
};
