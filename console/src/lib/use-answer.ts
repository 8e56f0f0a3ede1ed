import type { OperationVariables, TypedDocumentNode } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useRef, useState } from 'react';
import { type Problem, problemOf } from './problem.ts';

/** Query that is sent when it is asked for: its newest answer or refusal. An earlier answer that is late changes nothing. */
export function useAnswer<T, V extends OperationVariables>(document: TypedDocumentNode<T, V>) {
  const client = useApolloClient();
  const [state, setState] = useState<{ readonly data?: T | undefined; readonly problem?: Problem | undefined }>({});
  const [busy, setBusy] = useState(false);
  const newest = useRef(0);
  const ask = async (variables: V) => {
    newest.current += 1;
    const own = newest.current;
    setBusy(true);
    const found = await client
      .query<T, OperationVariables>({ query: document, variables, fetchPolicy: 'no-cache' })
      .then(({ data }) => ({ data }))
      .catch((error: unknown) => ({ problem: problemOf(error) }));
    if (own !== newest.current) return;
    setState(found);
    setBusy(false);
  };
  return { ...state, busy, ask };
}
