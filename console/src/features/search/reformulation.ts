let openedOf: string | undefined;

/** Something of what this query found was opened. */
export function recordOpened(query: string): void {
  openedOf = query;
}

/** A query that follows another of which nothing was opened is the first in other words. */
export const isReformulation = (before: string, next: string): boolean =>
  before !== '' && next !== '' && before !== next && openedOf !== before;
