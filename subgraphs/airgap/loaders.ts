import { createBatch } from '@landfall/kernel/core/batch';
import type { Caller } from '@landfall/kernel/core/caller';
import type { InstalledKit } from './kits/installed-kit.ts';
import type { Kits } from './kits/kits.ts';

/** Loaders of one request. */
export const createLoaders = (caller: Caller, { kits }: { readonly kits: Pick<Kits, 'ofReleases'> }) => ({
  kitOfRelease: createBatch(async (releaseIds: readonly string[]): Promise<readonly (InstalledKit | null)[]> => {
    const found = await kits.ofReleases(caller, { releaseIds });
    const byRelease = new Map(found.map(({ releaseId, kit }) => [String(releaseId), kit]));
    return releaseIds.map((id) => byRelease.get(id) ?? null);
  }),
});

export type Loaders = ReturnType<typeof createLoaders>;
