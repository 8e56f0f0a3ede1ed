import type { Log } from '@landfall/kernel/log';
import type { Lane } from './lane.ts';
import { SearchIndex } from './search-index.ts';

/** Opens the lane. @param directory where it keeps its snapshot; without one nothing is kept */
export const createLane = async ({ log }: { directory: string | undefined; log: Log }): Promise<Lane> => {
  const index = new SearchIndex();
  let isReady = false;
  let cursor = '0-0';
  log.debug('search index opened');
  return {
    search: async (query) => index.search(query),
    apply: async (changes, to) => {
      index.apply(changes);
      cursor = to;
    },
    warm: () => {
      isReady = true;
    },
    state: () => ({
      state: isReady ? 'ready' : 'cold',
      chunks: index.documents,
      segments: index.segments().length,
      cursor,
    }),
    clear: async (tenant) => index.clear(tenant),
    snapshot: async () => undefined,
    [Symbol.asyncDispose]: async () => index.clear(),
  };
};
