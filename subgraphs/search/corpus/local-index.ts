import { join } from 'node:path';
import type { Worker } from '@landfall/kernel/core/worker';
import type { Deps } from '@landfall/kernel/module';
import type { Lane } from '../fts/lane.ts';
import { createLane } from '../fts/threaded-lane.ts';
import { createFeed, type Feed } from './feed.ts';

/** Index of this process. The database answers before it is ready and after it stops. */
interface LocalIndex {
  readonly lane: Pick<Lane, 'search'>;
  readonly feed: Pick<Feed, 'isReady' | 'settled' | 'reindex'>;
  readonly companion: Worker;
}

interface Running {
  readonly lane: Lane;
  readonly feed: Feed;
  stop(): Promise<void>;
}

const open = async (deps: Pick<Deps, 'database' | 'hints' | 'log'>, directory: string): Promise<Running> => {
  const lane = await createLane({ directory, log: deps.log });
  const feed = createFeed({ ...deps, lane });
  const feeding = feed.start();
  return {
    lane,
    feed,
    async stop() {
      await feeding[Symbol.asyncDispose]();
      await lane[Symbol.asyncDispose]();
    },
  };
};

/**
 * Creates the search index of this process.
 * @param dataDir directory in which the index creates its own
 */
export const createLocalIndex = (deps: Pick<Deps, 'database' | 'hints' | 'log'>, dataDir: string): LocalIndex => {
  let running: Running | undefined;
  const opened = Promise.withResolvers<Running>();
  opened.promise.catch(() => {});
  return {
    lane: {
      search: async (query) => {
        if (!running) throw new Error('the index is not open');
        return running.lane.search(query);
      },
    },
    feed: {
      isReady: () => running?.feed.isReady() ?? false,
      settled: async () => (await opened.promise).feed.settled(),
      reindex: async (tenant) => running?.feed.reindex(tenant),
    },
    companion: {
      name: 'search.index',
      start: () => {
        const opening = open(deps, join(dataDir, 'search'));
        opening.then(
          (copy) => {
            running = copy;
            opened.resolve(copy);
          },
          (error: unknown) => {
            deps.log.error({ err: error }, 'search.index: it cannot be opened; the database answers');
            opened.reject(error);
          },
        );
        return {
          async [Symbol.asyncDispose]() {
            const copy = await opening.catch(() => undefined);
            running = undefined;
            await copy?.stop();
          },
        };
      },
    },
  };
};
