import type { Caller } from '@landfall/kernel/core/caller';
import type { Resolvers } from '../generated.ts';
import type { Adapters } from './adapters.ts';
import type { Rebuild } from './rebuild.ts';

export interface AdaptersContext {
  readonly caller: Caller;
  readonly adapters: Pick<Adapters, 'list'>;
  readonly rebuild: Rebuild;
}

export const adaptersResolvers = {
  Query: {
    searchAdapters: (_, _args, { caller, adapters }) => adapters.list(caller, {}),
  },
  Mutation: {
    rebuildSearchIndex: (_, { input }, { caller, rebuild }) => rebuild.rebuild(caller, input),
  },
} satisfies Resolvers<AdaptersContext>;
