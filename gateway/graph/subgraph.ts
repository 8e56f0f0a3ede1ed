import { formatGraphError } from '@landfall/kernel/graph/subgraph';
import { execute, type FormattedExecutionResult, type GraphQLSchema } from 'graphql';
import { createDocumentCache } from './document-cache.ts';

/** Operation of the gateway's plan for one module. */
export interface SubgraphRequest {
  readonly query: string;
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** Executes an operation in a module's schema. Errors are formatted for callers. */
type SubgraphExecutor = (
  request: SubgraphRequest,
  contextValue: object,
  requestId: string,
) => Promise<FormattedExecutionResult>;

/** Receives the original of an error masked as SYS_INTERNAL_ERROR. */
export type OnBug = (error: unknown, requestId: string) => void;

/** Creates the executor of a module's schema, for the gateway's data source and for the module's listener. */
export const createSubgraphExecutor = (schema: GraphQLSchema, onBug: OnBug): SubgraphExecutor => {
  const documentOf = createDocumentCache(schema);
  return async ({ query, operationName, variables }, contextValue, requestId) => {
    const { data = null, errors } = await execute({
      schema,
      document: documentOf(query),
      contextValue,
      operationName,
      variableValues: variables,
    });
    if (!errors) return { data };
    return { data, errors: errors.map((error) => formatGraphError(error, requestId, (bug) => onBug(bug, requestId))) };
  };
};
