import type { OperationVariables, TypedDocumentNode } from '@apollo/client';
import { useApolloClient, useMutation, useQuery } from '@apollo/client/react';
import { useEffect, useRef, useState } from 'react';
import { freshness } from './freshness.ts';
import { type Problem, problemOf } from './problem.ts';
import { randomHex } from './random-hex.ts';
import { redirectToSignIn } from './session.ts';

/** Query's answer in the five states a screen has: nothing yet, data, data with a problem, or a problem alone. */
export type QueryState<T> = {
  readonly data: T | undefined;
  readonly problem: Problem | undefined;
  readonly refetch: () => void;
};

/**
 * Query that stays current: fetched again when an entity of its answer, or one of a type in `watch`, changes. One with
 * thousands of entities is not `cached`: the cache would take longer to file them than the page takes to show them.
 * Without variables nothing is asked.
 */
export function useLiveQuery<T, V extends OperationVariables>(
  document: TypedDocumentNode<T, V>,
  variables: V | undefined,
  watch: readonly string[] = [],
  cached = true,
): QueryState<T> {
  const { data, previousData, error, refetch } = useQuery<T, OperationVariables>(document, {
    variables: variables ?? {},
    skip: variables === undefined,
    // A change during a fetch fetches again: the answer under way may be older than the change.
    context: { watch, queryDeduplication: false },
    // Cached data is shown at once and refetched; partial answers are shown.
    fetchPolicy: cached ? 'cache-and-network' : 'no-cache',
    errorPolicy: 'all',
  });
  return {
    // While other variables load, the page keeps its height and shows the answer before.
    data: variables && (data ?? previousData),
    problem: error === undefined ? undefined : problemOf(error),
    refetch: () => void refetch().catch(() => undefined),
  };
}

/** Wait before an expensive query in milliseconds: the page is painted first, and a page that is left at once asks nothing. */
const SETTLE_MS = 250;

type Answer<T> = { readonly key: string; readonly data: T | undefined; readonly problem: Problem | undefined };

/**
 * Query that the change feed never repeats: its answer is expensive. It is asked again with other variables, with another
 * `version` of its subject, and each time the page is opened, so that no stored answer outlives a change.
 */
export function useQueryOnce<T, V extends OperationVariables>(
  document: TypedDocumentNode<T, V>,
  variables: V,
  version = '',
): QueryState<T> {
  const client = useApolloClient();
  const [answer, setAnswer] = useState<Answer<T>>();
  const [attempt, setAttempt] = useState(0);
  const key = JSON.stringify([variables, version]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: variables are new objects with each render, their key is not.
  useEffect(() => {
    let isLeft = false;
    const ask = async () => {
      const found = await client
        .query<T, OperationVariables>({ query: document, variables, errorPolicy: 'all', fetchPolicy: 'network-only' })
        .catch((error: unknown) => ({ data: undefined, error }));
      if (isLeft) return;
      const problem = found.error === undefined ? undefined : problemOf(found.error);
      setAnswer({ key, data: found.data, problem });
    };
    const timer = setTimeout(() => void ask(), SETTLE_MS);
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [client, document, key, attempt]);
  const current = answer?.key === key ? answer : undefined;
  return {
    data: current?.data,
    problem: current?.problem,
    refetch: () => {
      setAnswer(undefined);
      setAttempt((before) => before + 1);
    },
  };
}

type Action<T, I> = {
  /** Answers undefined when it was refused; the reason is then in `problem`. */
  readonly run: (input: I) => Promise<T | undefined>;
  readonly busy: boolean;
  readonly problem: Problem | undefined;
  readonly clear: () => void;
};

/** Action that is safe to press twice: a request without an answer is repeated under its own idempotency key. */
export function useAction<T, I extends object>(document: TypedDocumentNode<T, { input: I }>): Action<T, I> {
  const client = useApolloClient();
  const [mutate, { loading }] = useMutation<T, { input: I }>(document);
  const [problem, setProblem] = useState<Problem>();
  const unanswered = useRef<{ readonly body: string; readonly key: string }>(undefined);

  const run = async (input: I): Promise<T | undefined> => {
    const body = JSON.stringify(input);
    const key = unanswered.current?.body === body ? unanswered.current.key : randomHex(16);
    unanswered.current = { body, key };
    try {
      const { data } = await mutate({ variables: { input: { ...input, idempotencyKey: key } } });
      unanswered.current = undefined;
      setProblem(undefined);
      // The feed reports what else changed; without it the whole page is refetched.
      if (freshness().state !== 'live') void client.refetchQueries({ include: 'active' });
      return data ?? undefined;
    } catch (error) {
      const found = problemOf(error);
      if (found.answered) unanswered.current = undefined;
      if (found.code.startsWith('AUTH_')) return redirectToSignIn();
      setProblem(found);
      return undefined;
    }
  };
  return { run, busy: loading, problem, clear: () => setProblem(undefined) };
}
