import type { Caller } from '@landfall/kernel/core/caller';
import type { Resolvers } from '../generated.ts';
import type { CorpusOperations } from './operations.ts';

export interface CorpusContext {
  readonly caller: Caller;
  readonly corpora: CorpusOperations;
}

export const corpusResolvers = {
  Query: {
    searchCorpora: (_, _args, { caller, corpora }) => corpora.summary(caller, {}),
    searchImports: (_, _args, { caller, corpora }) => corpora.imports(caller, {}),
  },
  Mutation: {
    importSearchDocuments: (_, { input }, { caller, corpora }) => corpora.importDocuments(caller, input),
  },
} satisfies Resolvers<CorpusContext>;
