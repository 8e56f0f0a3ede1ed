import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toTenantId } from '@landfall/kernel/core/ids';
import { testDeps } from '@landfall/kernel/testing/app';
import { type Chunk, type Owner, SHARED } from '../corpus/chunk.ts';
import { createCorpus } from '../corpus/corpus.ts';
import { createFeed } from '../corpus/feed.ts';
import { createLane } from '../fts/threaded-lane.ts';

/** Owner of a chunk as tests name it: a tenant's slug, or `*`. */
const ownerOf = (name: string): Owner => (name === SHARED ? SHARED : toTenantId(name));

/**
 * Test environment of search: its own database, an index in a worker thread, and the feed between them.
 * @param directory directory of the index's snapshot; a temporary one by default
 */
export const searchApp = async ({ directory }: { readonly directory?: string } = {}) => {
  const base = await testDeps();
  const { deps } = base;
  const own = directory ?? (await mkdtemp(join(tmpdir(), 'landfall-search-')));
  const lane = await createLane({ directory: own, log: deps.log });
  const corpus = createCorpus(deps);
  const feed = createFeed({ ...deps, lane, pollMs: 50 });
  const feeding = feed.start();
  await feed.settled();
  return {
    ...base,
    corpus,
    lane,
    feed,
    directory: own,
    put: (owner: string, chunks: readonly Chunk[]) => corpus.put(ownerOf(owner), chunks),
    remove: (owner: string, source: string, keys: readonly string[]) => corpus.remove(ownerOf(owner), source, keys),
    /** Resolves once all committed changes are searchable. */
    settled: () => feed.settled(),
    async [Symbol.asyncDispose]() {
      await feeding[Symbol.asyncDispose]();
      await lane[Symbol.asyncDispose]();
      await base[Symbol.asyncDispose]();
      if (directory === undefined) await rm(own, { recursive: true, force: true });
    },
  };
};

export type SearchApp = Awaited<ReturnType<typeof searchApp>>;
