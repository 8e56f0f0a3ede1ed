import type { ApolloClient } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import {
  type SearchCardFragment,
  SearchDocument,
  type SearchFiltersInput,
  type SearchPieceFragment,
  type SearchQuery,
} from '../generated/operations.ts';
import { legacySearch } from './legacy-search.ts';
import { type Problem, problemOf } from './problem.ts';
import { searchSessionId } from './search-events.ts';
import { hasScope } from './session.ts';

export type SearchRequest = {
  readonly q: string;
  /** Number of cards, 1 to 50. */
  readonly k: number;
  readonly filters?: SearchFiltersInput;
  /** Last word is still being written. */
  readonly typing: boolean;
  /** Answer put together without a model comes with the cards. */
  readonly includeSynthesis?: boolean;
  /** Requests the chunks behind each card too. */
  readonly pieces?: boolean;
};

/** Search card; a card of the legacy search has a link to its entity. */
export type Card = SearchCardFragment & { readonly href?: string; readonly pieces?: readonly SearchPieceFragment[] };

export type SearchResult = {
  readonly asked: SearchRequest;
  readonly cards: readonly Card[];
  readonly facets: SearchQuery['search']['facets'];
  readonly synthesis: SearchQuery['search']['synthesis'];
  /** `hybrid`, `fts-only`, or `legacy-fallback` where the graph did not answer and the knowledge search did. */
  readonly mode: string;
  readonly durationMs: number;
  /** `index`, or `database` while the index is being read. */
  readonly servedBy: string;
};

export type SearchState = {
  readonly found: SearchResult | undefined;
  readonly busy: boolean;
  readonly problem: Problem | undefined;
  readonly refetch: () => void;
};

export const canSearch = (): boolean => hasScope('advisory-ai:operate') || hasScope('advisory-ai:admin');

type Outcome = { readonly key: string; readonly found?: SearchResult; readonly problem?: Problem };

/** Searches `waitMs` after the last change of the query; the previous result stays until the new one is there. */
export function useSearchResult(request: SearchRequest | undefined, waitMs: number): SearchState {
  const client = useApolloClient();
  const [outcome, setOutcome] = useState<Outcome>();
  const [attempt, setAttempt] = useState(0);
  const key = request === undefined ? '' : JSON.stringify([request, attempt]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key covers every parameter.
  useEffect(() => {
    if (request === undefined) return setOutcome(undefined);
    const stop = new AbortController();
    const settle = (next: Omit<Outcome, 'key'>) => !stop.signal.aborted && setOutcome({ key, ...next });
    const search = () =>
      find(client, request, stop.signal).then(
        (found) => settle({ found }),
        (error: unknown) => settle({ problem: problemOf(error) }),
      );
    const id = setTimeout(() => void search(), waitMs);
    return () => {
      clearTimeout(id);
      stop.abort();
    };
  }, [key, client]);
  return {
    found: outcome?.found,
    busy: request !== undefined && outcome?.key !== key,
    problem: outcome?.problem,
    refetch: () => setAttempt((before) => before + 1),
  };
}

/** Searches the graph, else the knowledge search. Throws the graph's error if both fail or the query is refused. */
async function find(client: ApolloClient, request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
  try {
    return await findInGraph(client, request, signal);
  } catch (error) {
    if (signal.aborted || isQuestionRefused(problemOf(error))) throw error;
    const legacy = await legacySearch(request.q, request.k, signal).catch(() => undefined);
    if (legacy === undefined) throw error;
    return { ...legacy, asked: request, facets: [], synthesis: null, mode: 'legacy-fallback', servedBy: 'index' };
  }
}

async function findInGraph(client: ApolloClient, request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
  const { pieces = false, ...input } = request;
  const { data, error } = await client.query({
    query: SearchDocument,
    variables: { input: { ...input, sessionId: searchSessionId }, pieces },
    fetchPolicy: 'no-cache',
    // A card whose entity cannot be read has no link.
    errorPolicy: 'all',
    context: { queryDeduplication: false, fetchOptions: { signal } },
  });
  const search: SearchQuery['search'] | undefined = data?.search;
  if (!search) throw error ?? new Error('The graph has found nothing to say.');
  const { cards, facets, synthesis, diagnostics } = search;
  return { asked: request, cards, facets, synthesis, ...diagnostics };
}

/** Whether the question was refused (input, permission, sign-in), so that the legacy search would refuse it as well. */
const isQuestionRefused = ({ code }: Problem): boolean =>
  /^(VAL_|PERM_|AUTH_)/.test(code) || code.startsWith('advisoryai.validation');
