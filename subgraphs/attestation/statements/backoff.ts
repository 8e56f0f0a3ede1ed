const FIRST_SECONDS = 1;
const LONGEST_SECONDS = 300;

/** Seconds until a statement is tried again, by how often it was tried: twice as long each time, and never given up. */
export const backoffSeconds = (attempts: number): number =>
  Math.min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** Math.min(attempts - 1, 16));
