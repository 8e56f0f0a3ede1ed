import type { ApolloServerOptionsWithGateway } from '@apollo/server';
import { GraphQLError } from 'graphql';
import type { GraphContext } from './context.ts';

type Gateway = ApolloServerOptionsWithGateway<GraphContext>['gateway'];

const isGraphError = (error: unknown): error is GraphQLError => error instanceof GraphQLError;

/** Number of steps of `path` that exist in `data`. */
const reach = (data: unknown, path: readonly (string | number)[]): number => {
  let value = data;
  for (const [at, step] of path.entries()) {
    if (typeof value !== 'object' || value === null) return at;
    value = Reflect.get(value, step);
  }
  return path.length;
};

/** Recognises an entity unknown to its module at a nullable place, which is null without an error. */
const isAbsence = (data: unknown, { path = [] }: GraphQLError): boolean =>
  path.length > 1 && reach(data, path) === path.length - 1;

/** Restores errors that the gateway moves to `extensions.valueCompletion` when a non-null field is null. */
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
