import type { ApolloServerOptionsWithGateway } from '@apollo/server';
import { GraphQLError } from 'graphql';
import type { GraphContext } from './context.ts';

type Gateway = ApolloServerOptionsWithGateway<GraphContext>['gateway'];

const isGraphError = (error: unknown): error is GraphQLError => error instanceof GraphQLError;

/**
 * The gateway puts a null that a non-null field may not have into `extensions.valueCompletion` and leaves `errors`
 * empty; a client would see an answer without data and without a reason. Here such an answer has its errors.
 */
export const completing = (gateway: Gateway): Gateway => ({
  onSchemaLoadOrUpdate: (callback) => gateway.onSchemaLoadOrUpdate(callback),
  stop: () => gateway.stop(),
  load: async (options) => {
    const { executor } = await gateway.load(options);
    if (!executor) return { executor };
    return {
      executor: async (context) => {
        const { extensions, ...result } = await executor(context);
        const incomplete: unknown = extensions?.valueCompletion;
        return Array.isArray(incomplete) ? { ...result, errors: incomplete.filter(isGraphError) } : result;
      },
    };
  },
});
