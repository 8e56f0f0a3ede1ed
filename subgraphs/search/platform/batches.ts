/** Rows of one statement at most. */
const ROWS = 400;

export const batchesOf = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / ROWS) }, (_, page) => items.slice(page * ROWS, (page + 1) * ROWS));
