/** Limit of the names that a sentence lists. */
const MOST_NAMES = 5;

/** Lists the first names for a sentence, and says so where there are more. */
export const firstNames = (names: readonly string[]): string =>
  names.slice(0, MOST_NAMES).join(', ') + (names.length > MOST_NAMES ? ' and more' : '');
