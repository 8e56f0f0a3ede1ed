import type { Page } from '@landfall/kernel/operation/page';
import type { EstateComponent } from './estate.ts';
import { encodePosition } from './position.ts';

/** Builds a connection from a page; `asked` keeps the filter, since the total is counted only when selected. */
export const estateConnection = <RollbackInput>(
  { items, hasNextPage }: Page<EstateComponent>,
  asked: RollbackInput,
) => {
  const edges = items.map((node) => ({ cursor: encodePosition(node), node }));
  return { asked, edges, pageInfo: { hasNextPage, endCursor: edges.at(-1)?.cursor ?? null } };
};

export type EstateConnection = ReturnType<typeof estateConnection<unknown>>;
