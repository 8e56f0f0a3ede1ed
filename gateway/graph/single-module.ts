import type { ApolloServerOptionsWithGateway } from '@apollo/server';
import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql';
import type { GraphContext } from './context.ts';
import { onlyOwner, readOwners } from './field-owners.ts';
import type { ModuleSource, ModuleSources } from './module-source.ts';

type Gateway = ApolloServerOptionsWithGateway<GraphContext>['gateway'];

const isGraphContext = (context: object): context is GraphContext => 'caller' in context && 'contexts' in context;

/** Finds the source of a document's only module; a document is read once. */
const createSourceFinder = (sources: ModuleSources, supergraph: string) => {
  const owners = readOwners(supergraph);
  const known = new WeakMap<DocumentNode, { readonly source: ModuleSource | undefined }>();
  return (schema: GraphQLSchema, document: DocumentNode): ModuleSource | undefined => {
    const found = known.get(document) ?? { source: sources.get(onlyOwner(owners, schema, document) ?? '') };
    known.set(document, found);
    return found.source;
  };
};

/**
 * Sends an operation whose fields one module serves to that module as it is, without planning it and without shaping its
 * answer again: the module validates and completes the same document by the same types.
 */
export const passSingleModule = (gateway: Gateway, supergraph: string, sources: ModuleSources): Gateway => {
  const find = createSourceFinder(sources, supergraph);
  return {
    onSchemaLoadOrUpdate: (callback) => gateway.onSchemaLoadOrUpdate(callback),
    stop: () => gateway.stop(),
    load: async (options) => {
      const { executor } = await gateway.load(options);
      if (!executor) return { executor };
      return {
        executor: async (incoming) => {
          const { document, schema, source: query, operationName, request, context } = incoming;
          const source = find(schema, document);
          if (!source || !isGraphContext(context)) return executor(incoming);
          const asked = { query, variables: request.variables, operationName: operationName ?? undefined };
          const { data = null, errors } = await source.send(asked, context);
          if (!errors) return { data };
          return {
            data,
            errors: errors.map(({ message, path, extensions }) => new GraphQLError(message, { path, extensions })),
          };
        },
      };
    },
  };
};
