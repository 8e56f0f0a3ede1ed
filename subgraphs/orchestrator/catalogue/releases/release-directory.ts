import type { ReleaseDirectory } from '@landfall/kernel/module';
import { requirementsOf } from '../environments/evidence-policy.ts';
import { findEvidencePolicy, hasReleases, listComponentImages, listImages } from './release-images.store.ts';

/** Images of releases for other modules, in every role: it reads the tables on the connection of its caller. */
export const releaseDirectory: ReleaseDirectory = {
  imagesOf: async (query, tenant, subject) =>
    (await hasReleases(query)) ? listImages(query, tenant, subject) : undefined,
  listImages: async (query, tenant, releaseIds) =>
    (await hasReleases(query)) ? listComponentImages(query, tenant, releaseIds) : [],
  requirementsOf: async (query, tenant, environmentId) => {
    const found = (await hasReleases(query)) ? await findEvidencePolicy(query, tenant, environmentId) : undefined;
    return found && requirementsOf(found);
  },
};
