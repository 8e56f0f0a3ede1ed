/** Failures in a row after which something else stands in: one may be a busy machine's. */
const MOST_FAILURES = 3;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** Whether something that fails now and then is still to be asked. */
export interface FailureBackoff {
  /** It worked. */
  succeed(): void;
  /** It failed. @returns whether that was once too often */
  fail(): boolean;
  /** Whether its time has come to be tried again; the next one is twice as far, to an hour. */
  isDue(): boolean;
}

/** @param now milliseconds of a clock that never goes back */
export const createFailureBackoff = (now: () => number): FailureBackoff => {
  let failures = 0;
  let pauseMs = FIRST_PAUSE_MS;
  let dueAt = 0;
  const pause = (): void => {
    dueAt = now() + pauseMs;
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  };
  return {
    succeed() {
      failures = 0;
    },
    fail() {
      failures += 1;
      if (failures < MOST_FAILURES) return false;
      failures = 0;
      pause();
      return true;
    },
    isDue() {
      if (now() < dueAt) return false;
      pause();
      return true;
    },
  };
};
