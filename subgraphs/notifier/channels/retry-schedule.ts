/** Pauses of the long schedule, in seconds, as in the example of Standard Webhooks 1.0.0. */
const LONG_SCHEDULE = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
/** Attempts of a webhook in all (spec 8, rulings 16). */
const WEBHOOK_ATTEMPTS = 3;
/** Retries of the other adapters after the first attempt (spec 8). */
const ADAPTER_RETRIES = 3;
const BASE_MS = 1_000;
const LONGEST_MS = 30_000;
const JITTER = 0.2;
/** Longest pause that a receiver may ask for. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;

interface RetryQuestion {
  readonly isWebhook: boolean;
  readonly hasLongSchedule: boolean;
  /** Attempts so far, the failed one included. */
  readonly attempts: number;
  /** Pause that the receiver asked for, in milliseconds. */
  readonly retryAfterMs: number | null;
  /** Number from 0 to 1 that spreads the retries of many deliveries. */
  readonly random: number;
}

const pauseOf = ({ isWebhook, hasLongSchedule, attempts, random }: RetryQuestion): number | undefined => {
  if (hasLongSchedule) {
    const seconds = LONG_SCHEDULE[attempts - 1];
    return seconds === undefined ? undefined : seconds * 1_000 * (1 + JITTER * (2 * random - 1));
  }
  if (isWebhook) return attempts < WEBHOOK_ATTEMPTS ? BASE_MS * 2 ** (attempts - 1) : undefined;
  if (attempts > ADAPTER_RETRIES) return undefined;
  return Math.min(BASE_MS * 2 ** (attempts - 1) * (1 + JITTER * (2 * random - 1)), LONGEST_MS);
};

/**
 * Pause before the next attempt in whole milliseconds; undefined where the attempts are used up. `Retry-After` of the
 * receiver wins, to an hour.
 */
export const nextPause = (question: RetryQuestion): number | undefined => {
  const pause = pauseOf(question);
  if (pause === undefined) return undefined;
  const asked = question.retryAfterMs;
  return Math.round(asked === null ? pause : Math.min(Math.max(asked, 0), LONGEST_RETRY_AFTER_MS));
};

/** Reads `Retry-After` (RFC 9110 10.2.3): seconds or an HTTP-date. @returns milliseconds; null where it is neither */
export const parseRetryAfter = (value: string | undefined, now: Date): number | null => {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
};
