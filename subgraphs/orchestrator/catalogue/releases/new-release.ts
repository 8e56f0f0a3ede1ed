import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { refuse } from '../../shared/permission.ts';
import type { Product } from '../products/product.ts';
import { componentsRefusal } from '../products/product-rules.ts';
import * as components from './components.store.ts';
import { recordChange } from './release.ts';
import * as store from './releases.store.ts';

/** Contents of a new draft. */
interface Draft {
  readonly id: store.ReleaseId;
  readonly semver: string;
  readonly notes?: string | undefined;
  readonly components: readonly components.ComponentSpec[];
}

/** Creates a draft of a product. @throws Fault RES_ALREADY_EXISTS, VAL_INVALID_VALUE for an undeclared component */
export const createDraft = async (
  tx: Tx,
  caller: Who,
  product: Product,
  { id, semver, notes, components: specs }: Draft,
): Promise<store.Release> => {
  const fields = specs.map((component, index) => ({ field: `components.${index}`, component }));
  refuse(componentsRefusal(product, fields));
  const { name } = product;
  await store.insert(tx, caller, { id, productId: product.id, name, semver, notes: notes ?? null });
  for (const spec of specs) await components.insert(tx, caller.tenant, id, spec);
  return recordChange(tx, caller, 'release.create', id, {
    name,
    semver,
    components: specs,
    ...(notes !== undefined && { notes }),
  });
};

/**
 * Replaces the components of a draft that this transaction has locked; the caller becomes one of its authors.
 * @throws Fault VAL_INVALID_VALUE
 */
export const replaceComponents = async (
  tx: Tx,
  caller: Who,
  product: Product,
  release: store.Release,
  specs: readonly components.ComponentSpec[],
): Promise<store.Release> => {
  const fields = specs.map((component, index) => ({ field: `components.${index}`, component }));
  refuse(componentsRefusal(product, fields));
  for (const { name } of release.components) await components.remove(tx, caller.tenant, release.id, name);
  for (const spec of specs) await components.insert(tx, caller.tenant, release.id, spec);
  await store.addCreators(tx, caller, release.id);
  return recordChange(tx, caller, 'release.updateComponent', release.id, { components: specs });
};
