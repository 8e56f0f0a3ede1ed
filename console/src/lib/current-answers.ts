import { ApolloLink } from '@apollo/client/link';
import { OperationTypeNode } from 'graphql';
import { defer, mergeMap, of, tap } from 'rxjs';

/**
 * Creates the link that keeps answers in order. The answer of a query that was under way while a mutation was answered
 * may be older than that change, and in the cache it would undo it on the page: the query is sent again instead.
 */
export function createCurrentAnswers(): ApolloLink {
  /** Number of mutations that were answered. */
  let changes = 0;
  const current = (operation: ApolloLink.Operation, forward: ApolloLink.ForwardFunction): ReturnType<typeof forward> =>
    defer(() => {
      const before = changes;
      return forward(operation).pipe(
        mergeMap((answer) => (changes === before ? of(answer) : current(operation, forward))),
      );
    });
  return new ApolloLink((operation, forward) =>
    operation.operationType === OperationTypeNode.MUTATION
      ? forward(operation).pipe(tap(() => changes++))
      : current(operation, forward),
  );
}
