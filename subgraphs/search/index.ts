import { fileURLToPath } from 'node:url';
import type { Caller } from '@landfall/kernel/caller';
import { buildSubgraph } from '@landfall/kernel/graph';
import type { Deps, Module } from '@landfall/kernel/module';
import type { Context } from './context.ts';
import type { SearchPlace, SearchPorts } from './ports.ts';
import { createQuality, type Quality } from './quality/quality.ts';
import { resolvers } from './resolvers.ts';
import type { SearchSettings } from './settings.ts';

export type { Knowledge, SearchPlace, SearchPorts, UpstreamAnswer, UpstreamRequest } from './ports.ts';
export { searchSettings } from './settings.ts';
export type { SearchSettings };

/** Advisory search (spec 2.8, 4.7). */
export interface Search extends Module {
  readonly quality: Quality;
}

/** What the module stands on beside the kernel. */
export interface SearchSurroundings {
  readonly place: SearchPlace;
  readonly ports: SearchPorts;
}

export const createSearch = (deps: Deps, settings: SearchSettings, _around: SearchSurroundings): Search => {
  const quality = createQuality(deps, settings);
  return {
    name: 'search',
    operations: [...quality.operations],
    schema: buildSubgraph(new URL('./schema.graphql', import.meta.url), resolvers),
    context: (caller: Caller): Context => ({ caller, quality }),
    workers: [...quality.workers],
    companions: [...quality.companions],
    migrations: fileURLToPath(new URL('./migrations', import.meta.url)),
    quality,
  };
};
