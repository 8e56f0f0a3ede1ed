import type { Page } from '@landfall/kernel/operation/page';
import { type ListedStatement, statementCursor } from './statements.ts';

/** Page of statements as a connection of the graph. */
export const statementConnection = ({ items, hasNextPage }: Page<ListedStatement>) => {
  const last = items.at(-1);
  return {
    edges: items.map((node) => ({ cursor: statementCursor(node), node })),
    pageInfo: { hasNextPage, endCursor: last ? statementCursor(last) : null },
  };
};
