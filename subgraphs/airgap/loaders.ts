import { createBatch } from '@landfall/kernel/core/batch';
import type { Caller } from '@landfall/kernel/core/caller';
import type { InstalledKit } from './kits/installed-kit.ts';
import type { Kits } from './kits/kits.ts';
import type { Sync } from './sync/sync.ts';

interface Sources {
  readonly kits: Pick<Kits, 'ofReleases'>;
  readonly sync: Pick<Sync, 'payloads'>;
}

/** Loaders of one request. */
export const createLoaders = (caller: Caller, { kits, sync }: Sources) => ({
  kitOfRelease: createBatch(async (releaseIds: readonly string[]): Promise<readonly (InstalledKit | null)[]> => {
    const found = await kits.ofReleases(caller, { releaseIds });
    const byRelease = new Map(found.map(({ releaseId, kit }) => [String(releaseId), kit]));
    return releaseIds.map((id) => byRelease.get(id) ?? null);
  }),
  payloadOfJob: createBatch(async (ids: readonly string[]): Promise<readonly string[]> => {
    const byId = new Map((await sync.payloads(caller, { ids })).map(({ id, payload }) => [String(id), payload]));
    return ids.map((id) => byId.get(id) ?? '');
  }),
});

export type Loaders = ReturnType<typeof createLoaders>;
