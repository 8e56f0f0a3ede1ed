import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { CarriedRelease } from '@landfall/kernel/operator/transfers';
import type { Product } from '../products/product.ts';
import { finalizeLocked } from './finalization.ts';
import { gatedDigestSet } from './gated-digest-set.ts';
import { createDraft } from './new-release.ts';
import type { ReleaseListener } from './ports.ts';
import { recordChange } from './release.ts';
import * as store from './releases.store.ts';

/**
 * Finds the release of a carried one's version, if it has the same images.
 * @throws Fault RES_ALREADY_EXISTS for one with other images
 */
export const findByVersion = async (
  tx: Tx,
  tenant: TenantId,
  { id: productId }: Product,
  { name, semver, images }: CarriedRelease,
): Promise<store.ReleaseId | undefined> => {
  const known = await store.findByVersion(tx, tenant, productId, semver);
  if (!known) return undefined;
  const set = gatedDigestSet(images);
  if (known.status !== 'draft' && known.gatedDigestSet === set) return known.id;
  throw new Fault('RES_ALREADY_EXISTS', `${name} ${semver} is already there, with other images than the kit has.`, {
    name,
    semver,
    gatedDigestSet: known.gatedDigestSet,
    carriedDigestSet: set,
  });
};

/** Creates a release of a kit and fixes its images, whose manifests were verified before. */
export const finalizeCarried = async (
  tx: Tx,
  caller: Who,
  {
    product,
    id,
    carried,
    listener,
  }: {
    readonly product: Product;
    readonly id: store.ReleaseId;
    readonly carried: CarriedRelease;
    readonly listener: Pick<ReleaseListener, 'onFinalized'>;
  },
): Promise<void> => {
  const { semver, notes, images, kit } = carried;
  const components = images.map(({ name, repository, digest, dependsOn }) => ({
    name,
    repository,
    digest,
    dependsOn,
    requestedTag: null,
  }));
  await createDraft(tx, caller, product, { id, semver, components, ...(notes !== null && { notes }) });
  await recordChange(tx, caller, 'release.carried', id, kit);
  const resolved = images.map(({ name, digest, manifest: { mediaType, platforms, labels } }) => ({
    name,
    digest,
    mediaType,
    platforms,
    labels,
  }));
  await finalizeLocked(tx, caller, listener, id, resolved);
};
