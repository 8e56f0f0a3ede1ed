import type { ApolloServerOptionsWithGateway } from '@apollo/server';
import { GraphQLError } from 'graphql';
import type { GraphContext } from './context.ts';

type Gateway = ApolloServerOptionsWithGateway<GraphContext>['gateway'];

const isGraphError = (error: unknown): error is GraphQLError => error instanceof GraphQLError;

/** Number of steps of `path` that lead into `data` before there is nothing. */
const reach = (data: unknown, path: readonly (string | number)[]): number => {
  let value = data;
  for (const [at, step] of path.entries()) {
    if (typeof value !== 'object' || value === null) return at;
    value = Reflect.get(value, step);
  }
  return path.length;
};

/** An object that its module does not know, at a place that may be null, is null and no failure: that is the place's meaning. */
const isAbsence = (data: unknown, { path = [] }: GraphQLError): boolean =>
  path.length > 1 && reach(data, path) === path.length - 1;

/**
 * The gateway puts a null that a non-null field may not have into `extensions.valueCompletion` and leaves `errors`
 * empty; a client would see an answer without data and without a reason. Here such an answer has its errors.
 */
export const completeValues = (gateway: Gateway): Gateway => ({
  onSchemaLoadOrUpdate: (callback) => gateway.onSchemaLoadOrUpdate(callback),
  stop: () => gateway.stop(),
  load: async (options) => {
    const { executor } = await gateway.load(options);
    if (!executor) return { executor };
    return {
      executor: async (context) => {
        const { extensions, ...result } = await executor(context);
        const incomplete: unknown = extensions?.valueCompletion;
        if (!Array.isArray(incomplete)) return result;
        const errors = incomplete.filter(isGraphError).filter((error) => !isAbsence(result.data, error));
        return { ...result, ...(errors.length > 0 && { errors }) };
      },
    };
  },
});
