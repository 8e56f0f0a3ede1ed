import type { TenantId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { type CallGraph, readStored } from './call-graphs.store.ts';
import type { GraphCache } from './graph-cache.ts';

/** Reads the stored form of a graph; undefined where it was replaced and deleted meanwhile. */
export type ReadGraph = (tenant: TenantId, graph: CallGraph) => Promise<Uint8Array | undefined>;

/**
 * Creates the reading of stored graphs, from the cache where there is one. No connection to the database is held while
 * the cache answers.
 */
export const createStoredGraphs =
  ({ database }: Pick<Deps, 'database'>, cache?: GraphCache): ReadGraph =>
  async (tenant, graph) => {
    const cached = await cache?.find(tenant, graph);
    if (cached) return cached;
    const stored = await database.read(tenant, (query) => readStored(query, tenant, graph));
    // The answer does not wait for the cache, which does not fail.
    if (stored) void cache?.save(tenant, graph, stored);
    return stored;
  };
