/** Limit of the names that a sentence lists. */
const MAX_NAMES = 5;

/** Lists the first names for a sentence, and says so where there are more. */
export const firstNames = (names: readonly string[]): string =>
  names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ' and more' : '');
