const FIRST_SECONDS = 1;
const MAX_SECONDS = 300;

/** Seconds until the next attempt for a statement: doubled after each attempt, without a limit of attempts. */
export const backoffSeconds = (attempts: number): number =>
  Math.min(MAX_SECONDS, FIRST_SECONDS * 2 ** Math.min(attempts - 1, 16));
