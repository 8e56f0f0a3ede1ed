let openedQuery: string | undefined;

export function recordOpened(query: string): void {
  openedQuery = query;
}

/** Whether a query follows another without an opened result. */
export const isReformulation = (before: string, next: string): boolean =>
  before !== '' && next !== '' && before !== next && openedQuery !== before;
