/** Suppression of an absent route, in minutes (spec 8). */
const FIRST_MINUTES = 5;
const MAX_MINUTES = 60;

/**
 * Minutes for which an absent route is not requested again.
 * @param absences number of times in a row that the route was absent, from 1
 */
export const suppressionMinutes = (absences: number): number =>
  Math.min(MAX_MINUTES, FIRST_MINUTES * 2 ** Math.min(10, Math.max(0, absences - 1)));
