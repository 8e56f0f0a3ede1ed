import { createBatchOfOne } from '@landfall/kernel/core/batch';
import type { Caller } from '@landfall/kernel/core/caller';
import type { Kits } from './kits/kits.ts';
import type { Sync } from './sync/sync.ts';

interface Sources {
  readonly kits: Pick<Kits, 'ofReleases'>;
  readonly sync: Pick<Sync, 'payloads'>;
}

/** Loaders of one request. */
export const createLoaders = (caller: Caller, { kits, sync }: Sources) => ({
  kitOfRelease: createBatchOfOne((releaseIds) => kits.ofReleases(caller, { releaseIds }), 'releaseId'),
  payloadOfJob: createBatchOfOne((ids) => sync.payloads(caller, { ids }), 'id'),
});

export type Loaders = ReturnType<typeof createLoaders>;
