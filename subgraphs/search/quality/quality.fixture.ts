import type { Caller } from '@landfall/kernel/core/caller';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import type { Deps } from '@landfall/kernel/module';
import { loadSettings } from '@landfall/kernel/system/settings';
import { searchSettings } from '../shared/settings.ts';
import { createQuality } from './quality.ts';
import { qualityResolvers } from './resolvers.ts';

/** Creates search quality as a module of its own, without the rest of search. */
export const qualityModule = (deps: Deps) => {
  const quality = createQuality(deps, loadSettings(searchSettings, { env: {} }));
  return {
    name: 'search',
    operations: quality.operations,
    schema: buildSubgraph(new URL('../schema.graphql', import.meta.url), qualityResolvers),
    context: (caller: Caller) => ({ caller, quality }),
    workers: quality.workers,
    migrations: '',
    quality,
  };
};
