import type { Who } from '@landfall/kernel/core/caller';
import { toId } from '@landfall/kernel/core/ids';
import { isDigest } from '@landfall/kernel/crypto/digest';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import type { CarriedRelease, ReleaseTransfer } from '@landfall/kernel/operator/transfers';
import { createRegistries } from '../../catalogue/integrations/registries.ts';
import * as products from '../../catalogue/products/product.ts';
import { finalizeCarried, findByVersion } from '../../catalogue/releases/carried-release.ts';
import * as releases from '../../catalogue/releases/release.ts';
import { listGatedReleases } from '../../catalogue/releases/release-directory.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { scheduleReading } from './image-statements.ts';

/** Releases that kits carry to other installations, for the module that has kits. */
export const createReleaseTransfer = (deps: Pick<Deps, 'database' | 'secrets' | 'http' | 'ids'>): ReleaseTransfer => {
  const registries = createRegistries(deps);

  /** Product of a carried release; one that nobody knows yet is created. */
  const productOf = async (tx: Tx, caller: Who, name: string) => {
    const newId = () => toId(deps.ids.uuid(), 'Product');
    const { product, isNew } = await products.ensure(tx, caller.tenant, newId, name, caller.subject);
    if (isNew) await publishEvent(tx, caller, 'product.create', 'Product', product, { name, components: null });
    return product;
  };

  return {
    async find(query, tenant, name, semver) {
      const release = await releases.findNamed(query, tenant, name, semver);
      if (!release || release.status === 'draft') return undefined;
      const { id, notes, components } = release;
      const images = components.flatMap(({ name: component, repository, digest, dependsOn }) =>
        isDigest(digest) ? [{ name: component, repository, digest, dependsOn }] : [],
      );
      return { id, name, semver, notes, images };
    },

    openRegistry: registries.access,

    listGated: listGatedReleases,

    async create(tx: Tx, caller: Who, carried: CarriedRelease) {
      const product = await productOf(tx, caller, carried.name);
      const known = await findByVersion(tx, caller.tenant, product, carried);
      if (known) return { id: known, isNew: false };
      const id = toId(deps.ids.uuid(), 'Release');
      await finalizeCarried(tx, caller, { product, id, carried, listener: { onFinalized: scheduleReading } });
      return { id, isNew: true };
    },
  };
};
