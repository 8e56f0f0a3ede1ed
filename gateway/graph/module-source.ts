import type { GraphQLDataSource } from '@apollo/gateway';
import type { FormattedExecutionResult } from 'graphql';
import type { GraphContext } from './context.ts';
import type { SubgraphRequest } from './subgraph.ts';

/** Door to the graph of a module in this process or another. Errors of its answers are formatted for callers. */
export interface ModuleSource {
  send(request: SubgraphRequest, context: GraphContext): Promise<FormattedExecutionResult>;
}

/** Sources of the modules by name. */
export type ModuleSources = ReadonlyMap<string, ModuleSource>;

/** Data source of the gateway that asks a module. */
export const dataSource = (name: string, source: ModuleSource): GraphQLDataSource<GraphContext> => ({
  process(options) {
    if (!('incomingRequestContext' in options)) throw new TypeError(`${name} is asked by requests only`);
    const { query = '', operationName, variables } = options.request;
    return source.send({ query, operationName, variables }, options.context);
  },
});
