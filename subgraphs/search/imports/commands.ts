import type { Deps } from '@landfall/kernel/module';
import { type Owner, SHARED } from '../corpus/chunk.ts';
import { type CorpusTotal, createCorpus } from '../corpus/corpus.ts';
import { FORMATS, isFormat } from '../importers/reader.ts';
import * as store from './imports.store.ts';
import { createImports, type ImportOutcome, type ImportRequest, isSource } from './imports.ts';

export type { ImportOutcome, ImportProgress } from './imports.ts';

/** Operator commands; the server may be running or not. */
export interface SearchCommands {
  import(request: ImportRequest): Promise<ImportOutcome>;
  status(tenant: Owner | undefined): Promise<{
    readonly corpora: readonly CorpusTotal[];
    readonly imports: readonly store.ImportRow[];
  }>;
}

const LATEST = 10;

const open = (deps: Pick<Deps, 'database' | 'ids'>): SearchCommands => {
  const { database } = deps;
  const corpus = createCorpus(deps);
  const imports = createImports({ ...deps, corpus });
  return {
    import: imports.run,
    status: (tenant) =>
      database.system.read(async (query) => ({
        corpora: await corpus.totalsIn(query, tenant),
        imports: await store.listAll(query, tenant, LATEST),
      })),
  };
};

export const searchCommands = { open, formats: FORMATS, isFormat, isSource, shared: SHARED } as const;
