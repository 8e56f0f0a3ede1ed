import type { ReleaseDirectory } from '@landfall/kernel/module';
import type { ReleaseTransfer } from '@landfall/kernel/operator/transfers';
import { requirementsOf } from '../environments/evidence-policy.ts';
import { findEvidencePolicy, hasReleases, listComponentImages, listGated, listImages } from './release-images.store.ts';

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

/** Releases that gates are about, with their images: those that run, then the newest that are fixed. */
export const listGatedReleases: ReleaseTransfer['listGated'] = async (query, tenant, limit) => {
  if (!(await hasReleases(query))) return [];
  const found = await listGated(query, tenant, limit);
  const ids = found.map(({ id }) => id);
  const images = Map.groupBy(await listComponentImages(query, tenant, ids), ({ releaseId }) => releaseId);
  return found.map((release) => ({ ...release, images: images.get(release.id) ?? [] }));
};
