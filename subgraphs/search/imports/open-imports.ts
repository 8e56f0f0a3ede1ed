import type { Deps } from '@landfall/kernel/module';
import type { Owner } from '../corpus/chunk.ts';
import { createCorpus } from '../corpus/corpus.ts';
import * as store from './imports.store.ts';
import { createImports } from './imports.ts';

const LATEST = 10;

/** Opens the imports for the operator's commands, whether the server runs or not. */
export const openImports = (deps: Pick<Deps, 'database' | 'ids'>) => {
  const corpus = createCorpus(deps);
  return {
    import: createImports({ ...deps, corpus }).run,
    status: (tenant: Owner | undefined) =>
      deps.database.system.read(async (query) => ({
        corpora: await corpus.totalsIn(query, tenant),
        imports: await store.listAll(query, tenant, LATEST),
      })),
  };
};
