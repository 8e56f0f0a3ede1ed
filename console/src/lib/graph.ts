import type { OperationVariables, TypedDocumentNode } from '@apollo/client';
import { useApolloClient, useMutation, useQuery } from '@apollo/client/react';
import { useRef, useState } from 'react';
import { freshness } from './freshness.ts';
import { type Problem, problemOf } from './problem.ts';
import { randomHex } from './random-hex.ts';
import { redirectToSignIn } from './session.ts';

/** A query's answer in the five states a screen has: nothing yet, data, data with a problem, or a problem alone. */
export type QueryState<T> = {
  readonly data: T | undefined;
  readonly problem: Problem | undefined;
  readonly refetch: () => void;
};

/**
 * A query whose answer is kept true: it is asked again when something in it changes, and when a thing of a type in
 * `watch` changes that is not in it yet, such as a new line of a list.
 */
export function useLiveQuery<T, V extends OperationVariables>(
  document: TypedDocumentNode<T, V>,
  variables: V,
  watch: readonly string[] = [],
): QueryState<T> {
  const { data, previousData, error, refetch } = useQuery<T, OperationVariables>(document, {
    variables,
    // Asked again while it is being asked, a query goes out again: the answer under way may be older than the change.
    context: { watch, queryDeduplication: false },
    // What is known is shown at once, and asked again; parts that answer are shown when others do not.
    fetchPolicy: 'cache-and-network',
    errorPolicy: 'all',
  });
  return {
    // While other variables are asked for, the page keeps its height and shows the answer before.
    data: data ?? previousData,
    problem: error === undefined ? undefined : problemOf(error),
    refetch: () => void refetch().catch(() => undefined),
  };
}

/** A mutation as a verb of the page. */
type Action<T, I> = {
  /** Answers undefined when it was refused; the reason is then in `problem`. */
  readonly run: (input: I) => Promise<T | undefined>;
  readonly busy: boolean;
  readonly problem: Problem | undefined;
  readonly clear: () => void;
};

/**
 * A verb: never optimistic, and safe to press again. A request that got no answer is repeated under its own
 * idempotency key; whatever was answered, or is changed, goes out under a new one.
 */
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
      // The feed brings what else changed; without it the page is asked again as a whole.
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
