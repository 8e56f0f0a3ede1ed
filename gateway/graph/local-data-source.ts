import type { GraphQLDataSource } from '@apollo/gateway';
import type { Module } from '@landfall/kernel/module';
import type { GraphContext } from './context.ts';
import { createSubgraphExecutor, type OnBug } from './subgraph.ts';

/** Data source of a module in this process. */
export const localSource = (module: Module, onBug: OnBug): GraphQLDataSource<GraphContext> => {
  const run = createSubgraphExecutor(module.schema, onBug);

  const contextOf = ({ caller, contexts }: GraphContext): object => {
    const made = contexts.get(module.name) ?? module.context(caller);
    contexts.set(module.name, made);
    return made;
  };

  return {
    async process(options) {
      if (!('incomingRequestContext' in options)) throw new TypeError(`${module.name} is asked by requests only`);
      const { query = '', operationName, variables } = options.request;
      return run({ query, operationName, variables }, contextOf(options.context), options.context.caller.correlationId);
    },
  };
};
