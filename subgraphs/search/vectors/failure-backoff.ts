/** Consecutive failures before the fallback; a single one may be load. */
const MAX_FAILURES = 3;
const FIRST_PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 3_600_000;

/** Retry schedule of an encoder that fails intermittently. @param now milliseconds of a clock that never goes back */
export const createFailureBackoff = (now: () => number) => {
  let failures = 0;
  let pauseMs = FIRST_PAUSE_MS;
  let dueAt = 0;
  const pause = (): void => {
    dueAt = now() + pauseMs;
    pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
  };
  return {
    succeed(): void {
      failures = 0;
    },
    /** @returns whether the limit is reached */
    fail(): boolean {
      failures += 1;
      if (failures < MAX_FAILURES) return false;
      failures = 0;
      pause();
      return true;
    },
    /** Whether a retry is due; the interval doubles up to an hour. */
    isDue(): boolean {
      if (now() < dueAt) return false;
      pause();
      return true;
    },
  };
};
