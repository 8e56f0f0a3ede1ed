import { fileURLToPath } from 'node:url';
import type { Caller } from '@landfall/kernel/core/caller';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import { type Deps, defineModule } from '@landfall/kernel/module';
import { createSchedule } from '@landfall/kernel/work/schedule';
import { createAdapters } from './adapters/adapters.ts';
import { createRebuild } from './adapters/rebuild.ts';
import type { Context } from './context.ts';
import { createCorpus } from './corpus/corpus.ts';
import { createLocalIndex } from './corpus/local-index.ts';
import { tombstoneDuty } from './corpus/upkeep.ts';
import { createCorpusOperations } from './imports/operations.ts';
import { importDuty } from './imports/upkeep.ts';
import { createKnowledge } from './knowledge/knowledge.ts';
import { createLegacy } from './legacy/legacy.ts';
import { searchCommands } from './operator/commands.ts';
import { createProjection } from './platform/projection.ts';
import type { SearchLocation, SearchPorts } from './ports.ts';
import { createQuality } from './quality/quality.ts';
import { createPieces } from './query/chunk-loader.ts';
import { createQuery } from './query/query.ts';
import { resolvers } from './resolvers.ts';
import { type SearchSettings, searchSettings } from './shared/settings.ts';
import { answerOf } from './synthesis/answer.ts';
import { pruneUsage } from './synthesis/quota.ts';
import { createSynthesis } from './synthesis/synthesis.ts';
import { createVectors } from './vectors/vectors.ts';

export type { Knowledge } from './knowledge/documents.ts';
export type { SearchLocation, SearchPorts } from './ports.ts';
export { searchSettings } from './shared/settings.ts';
export type { SearchSettings };

interface SearchSurroundings {
  readonly location: SearchLocation;
  readonly ports: SearchPorts;
}

/** Creates the advisory search (spec 2.8, 4.7). */
export const createSearch = (deps: Deps, settings: SearchSettings, { location, ports }: SearchSurroundings) => {
  const corpus = createCorpus(deps);
  const corpora = createCorpusOperations(deps, corpus);
  const { lane, feed, companion: worker } = createLocalIndex(deps, location.dataDir);
  const quality = createQuality(deps, settings);
  const { recorder, popularity } = quality;
  const vectors = createVectors({ ...deps, corpus, lane, settings });
  const query = createQuery({ ...deps, corpus, lane, feed, recorder, popularity, vectors, answerOf, settings });
  const synthesis = createSynthesis({ ...deps, find: query.find, recorder, settings });
  const projection = createProjection(deps, corpus);
  const knowledge = createKnowledge({ ...deps, corpus, knowledge: ports.knowledge });
  const legacy = createLegacy({ ...deps, find: query.find, knowledge, activeEncoder: vectors.activeEncoder });
  const adapters = createAdapters({ ...deps, corpus, ports, settings });
  const rebuild = createRebuild({ ...deps, adapters, corpus, projection, feed });
  return {
    name: 'search',
    operations: [
      query.search,
      query.suggestions,
      synthesis.synthesize,
      ...quality.operations,
      legacy.search,
      legacy.rebuild,
      adapters.list,
      rebuild.rebuild,
      corpora.summary,
      corpora.imports,
      corpora.importDocuments,
    ],
    schema: buildSubgraph(new URL('./schema.graphql', import.meta.url), resolvers),
    context: (caller: Caller): Context => ({
      caller,
      query,
      pieces: createPieces(corpus, caller.tenant ?? caller.claimedTenant),
      quality,
      corpora,
      adapters,
      rebuild,
    }),
    workers: [
      createSchedule(deps, 'search.upkeep', [tombstoneDuty(deps), importDuty(deps, pruneUsage)]),
      projection,
      knowledge.worker,
      adapters.worker,
      ...quality.workers,
    ],
    companions: [worker, vectors.companion, ...quality.companions],
    query,
    synthesis,
    quality,
    legacy,
    adapters,
    rebuild,
    feed,
  };
};

export type Search = ReturnType<typeof createSearch>;

export const searchModule = defineModule({
  name: 'search',
  settings: searchSettings,
  migrations: fileURLToPath(new URL('./migrations', import.meta.url)),
  commands: searchCommands,
  checks: async () => (await import('./operator/checks.ts')).searchChecks,
  demo: async () => (await import('./demo/chapter.ts')).searchChapter,
  seed: async () => (await import('./testing/seed.ts')).searchSeed,
  configure: (settings, platform) => (deps, ports) => createSearch(deps, settings, { location: platform, ports }),
});
