import { type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import * as products from '../../catalogue/products/product.ts';
import * as releases from '../../catalogue/releases/release.ts';
import * as candidates from './candidates.store.ts';
import { assembleSet } from './image-set.ts';
import * as sources from './sources.store.ts';

/** Reads the images that a product's next release consists of, and the components of its newest release. */
export const readSet = async (query: Query, tenant: TenantId, product: products.Product) => {
  const all = await sources.listByProducts(query, tenant, [product.id]);
  const found = await candidates.findNewestRelease(query, tenant, product.id);
  const newest = found && (await releases.get(query, tenant, found.id));
  return { sources: all, before: newest?.components ?? [], set: assembleSet(all, newest, product.components) };
};

/**
 * Gathers the set that a product's sources have selected, if it has no release: the cause for which it was refused may be
 * gone. A product that has no set gathers nothing.
 */
export const gatherUnreleased = async (
  tx: Tx,
  tenant: TenantId,
  ids: Deps['ids'],
  productId: products.ProductId,
): Promise<void> => {
  const product = await products.find(tx, tenant, productId);
  if (!product) return;
  const { sources: all, set } = await readSet(tx, tenant, product);
  if ('reason' in set || (await candidates.hasSet(tx, tenant, productId, set.digest))) return;
  await candidates.gather(tx, tenant, {
    id: toId(ids.uuid(), 'ReleaseCandidate'),
    productId,
    policy: set.policy,
    debounceSeconds: Math.max(...all.filter(({ isEnabled }) => isEnabled).map((each) => each.debounceSeconds)),
  });
};
