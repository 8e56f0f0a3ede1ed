import { createBatch, createBatchOfOne } from '@landfall/kernel/core/batch';
import type { Caller } from '@landfall/kernel/core/caller';
import type { AirGap } from './index.ts';

/** Loaders of one request. */
export const createLoaders = (caller: Caller, { kits, sync }: Pick<AirGap, 'kits' | 'sync'>) => ({
  kitOfRelease: createBatchOfOne((releaseIds) => kits.ofReleases(caller, { releaseIds }), 'releaseId'),
  statementsOfRelease: createBatch(async (releaseIds: readonly string[]) => {
    const found = await kits.statementsOfReleases(caller, { releaseIds });
    const byRelease = Map.groupBy(found, ({ releaseId }) => String(releaseId));
    return releaseIds.map((id) => byRelease.get(id) ?? []);
  }),
  payloadOfJob: createBatchOfOne((ids) => sync.payloads(caller, { ids }), 'id'),
});

export type Loaders = ReturnType<typeof createLoaders>;
