/** Suppression of an absent route, in minutes (spec 8). */
const FIRST_MINUTES = 5;
const LONGEST_MINUTES = 60;

/** @param absences how often in a row the route was absent, from 1 */
export const suppressionMinutes = (absences: number): number =>
  Math.min(LONGEST_MINUTES, FIRST_MINUTES * 2 ** Math.min(10, Math.max(0, absences - 1)));
