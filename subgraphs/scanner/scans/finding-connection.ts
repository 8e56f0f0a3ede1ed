import type { Page } from '@landfall/kernel/operation/page';
import { rankedCursor } from './finding-list.ts';
import type { StoredFinding } from './findings.store.ts';

/** Page of findings as a connection of the graph. */
export const findingConnection = ({ items, hasNextPage }: Page<StoredFinding>) => {
  const last = items.at(-1);
  return {
    edges: items.map((node) => ({ cursor: rankedCursor(node), node })),
    pageInfo: { hasNextPage, endCursor: last ? rankedCursor(last) : null },
  };
};
