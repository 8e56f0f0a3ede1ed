let openedOf: string | undefined;

export function recordOpened(query: string): void {
  openedOf = query;
}

/** True for a query that follows another of which no result was opened. */
export const isReformulation = (before: string, next: string): boolean =>
  before !== '' && next !== '' && before !== next && openedOf !== before;
