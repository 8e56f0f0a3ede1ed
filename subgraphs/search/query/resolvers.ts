import type { Caller } from '@landfall/kernel/core/caller';
import { isId } from '@landfall/kernel/core/ids';
import type { Ref } from '../corpus/chunk.ts';
import type { Resolvers } from '../generated.ts';
import type { Pieces, PieceView } from './chunk-loader.ts';
import type { QueryService } from './query.ts';

export interface QueryContext {
  readonly caller: Caller;
  readonly query: Pick<QueryService, 'search' | 'suggestions'>;
  readonly pieces: Pieces;
}

const ENTITIES = [
  'Release',
  'Deployment',
  'Promotion',
  'Environment',
  'Target',
  'Agent',
  'Integration',
  'Product',
] as const;

/** Entity in the graph; those of other modules have UUIDs. */
const entityOf = (ref: Ref | null) => {
  const __typename = ENTITIES.find((name) => name === ref?.type);
  return __typename && ref && isId(ref.id, __typename) ? { __typename, id: ref.id } : null;
};

const isPiece = (piece: PieceView | undefined): piece is PieceView => piece !== undefined;

export const queryResolvers = {
  Query: {
    search: (_, { input }, { caller, query }) => query.search(caller, input),
    searchSuggestions: (_, args, { caller, query }) => query.suggestions(caller, args),
  },
  SearchCard: {
    entity: ({ ref }) => entityOf(ref),
    pieces: async ({ numbers }, _args, { pieces }) =>
      (await Promise.all(numbers.map((number) => pieces.load(number)))).filter(isPiece),
  },
  SearchHighlight: {
    ranges: ({ ranges }) => ranges.map(([start, end]) => ({ start, end })),
  },
  SearchDiagnostics: {
    debug: ({ debug }) => (debug === undefined ? null : JSON.stringify(debug)),
  },
} satisfies Resolvers<QueryContext>;
