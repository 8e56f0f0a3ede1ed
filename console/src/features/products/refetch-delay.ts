/** Time that a poll takes, in milliseconds. */
const POLL_MS = 3_000;
/** Shortest and longest pause between two questions, in milliseconds. */
const PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 300_000;

/**
 * Time until the next question in milliseconds: once the next instant has passed, or with a backoff while an instant that
 * has passed brought nothing new. Undefined where nothing is due.
 *
 * @param attempts questions so far about the same instants
 */
export function refetchDelay(instants: readonly string[], attempts: number, now: number): number | undefined {
  const waits = instants.map((at) => new Date(at).getTime() + POLL_MS - now);
  const backoff = Math.min(PAUSE_MS * 2 ** attempts, MAX_PAUSE_MS);
  return waits.length === 0
    ? undefined
    : Math.min(...waits.map((wait) => (wait > 0 ? Math.max(wait, PAUSE_MS) : backoff)));
}
