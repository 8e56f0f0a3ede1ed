import type { Caller } from '@landfall/kernel/core/caller';
import { toTenantId } from '@landfall/kernel/core/ids';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import type { Deps } from '@landfall/kernel/module';
import { loadSettings } from '@landfall/kernel/system/settings';
import { type Chunk, type Owner, SHARED } from '../corpus/chunk.ts';
import { createCorpus } from '../corpus/corpus.ts';
import type { Lane } from '../fts/lane.ts';
import { createQuality } from '../quality/quality.ts';
import { qualityResolvers } from '../quality/resolvers.ts';
import { searchSettings } from '../shared/settings.ts';
import { answerOf } from '../synthesis/answer.ts';
import { createQuery } from './query.ts';
import { queryResolvers } from './resolvers.ts';
import type { VectorSearch } from './vector.ts';

/** Lane that refuses every search, for tests without an index. */
const NO_LANE: Pick<Lane, 'search'> = { search: () => Promise.reject(new Error('there is no lane')) };

export interface QueryModuleOptions {
  /** Absent, the index is cold for ever. */
  readonly lane?: Pick<Lane, 'search'> | undefined;
  /** Whether the lane is asked; unless said otherwise, once it is there. */
  readonly isReady?: () => boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly vectors?: VectorSearch | undefined;
}

/** Creates queries as a module of their own, over a corpus that a test fills. */
export const queryModule = (
  deps: Deps,
  { lane, isReady = () => lane !== undefined, env = {}, vectors }: QueryModuleOptions = {},
) => {
  const settings = loadSettings(searchSettings, { env });
  const corpus = createCorpus(deps);
  const quality = createQuality(deps, settings);
  const query = createQuery({
    answerOf,
    ...deps,
    corpus,
    lane: lane ?? NO_LANE,
    feed: { isReady },
    recorder: quality.recorder,
    popularity: quality.popularity,
    vectors,
    settings,
  });
  const schema = buildSubgraph(new URL('../schema.graphql', import.meta.url), {
    ...queryResolvers,
    Query: { ...qualityResolvers.Query, ...queryResolvers.Query },
  });
  return {
    name: 'search',
    operations: [query.search, query.suggestions],
    schema,
    context: (caller: Caller) => ({ caller, quality, query }),
    workers: [],
    migrations: '',
    query,
    quality,
    corpus,
    put: (owner: string, chunks: readonly Chunk[]) => {
      const caller: Owner = owner === SHARED ? SHARED : toTenantId(owner);
      return corpus.put(caller, chunks);
    },
  };
};
