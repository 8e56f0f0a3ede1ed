import type { Page } from '@landfall/kernel/operation/page';
import type { EstateComponent } from './estate.ts';
import { encodePosition } from './position.ts';

/** A page of the estate as a connection; what was asked is kept, since the whole is counted only for those who ask. */
export const estateConnection = <Asked>({ items, hasNextPage }: Page<EstateComponent>, asked: Asked) => {
  const edges = items.map((node) => ({ cursor: encodePosition(node), node }));
  return { asked, edges, pageInfo: { hasNextPage, endCursor: edges.at(-1)?.cursor ?? null } };
};

export type EstateConnection = ReturnType<typeof estateConnection<unknown>>;
