import type { ReleaseDirectory } from '@landfall/kernel/module';
import { hasReleases, listImages } from './release-images.store.ts';

/** Images of releases for other modules, in every role: it reads the tables on the connection of its caller. */
export const releaseDirectory: ReleaseDirectory = {
  imagesOf: async (query, tenant, subject) =>
    (await hasReleases(query)) ? listImages(query, tenant, subject) : undefined,
};
