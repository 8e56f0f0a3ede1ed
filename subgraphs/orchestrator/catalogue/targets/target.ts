import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Tx } from '@landfall/kernel/db/query';
import { expectVersion } from '../../shared/expected-version.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import type { PathStep } from '../products/path.ts';
import * as products from '../products/product.ts';
import * as store from './targets.store.ts';

export const {
  findLocked,
  lockEnabled,
  isEnabled,
  list,
  listReached,
  listByAgent,
  listByAgents,
  listByEnvironments,
  listByIds,
  listByProducts,
  listUses,
  touch,
} = store;
export type Target = store.Target;

/**
 * Targets that a deployment of a release includes at a step of its product's path. A rollback goes to all that the
 * product has there, whatever their labels say by now; off the path nothing is claimed.
 */
export const reachOf = (
  { productId }: { readonly productId: products.ProductId },
  step: Pick<PathStep, 'targetLabels'> | undefined,
  kind: 'deploy' | 'rollback',
): store.Reach => ({
  productId,
  labels: kind === 'rollback' ? {} : (step?.targetLabels ?? {}),
  claims: step?.targetLabels ?? null,
});

/**
 * Gives locked targets that belong to no product to this one, and publishes that.
 * @throws Fault DEPLOY_NO_TARGETS when the product was removed meanwhile
 */
export const claim = async (
  tx: Tx,
  caller: Who,
  enabled: readonly Target[],
  productId: products.ProductId,
): Promise<void> => {
  const free = enabled.filter((target) => target.productId === null).map(({ id }) => id);
  if (free.length === 0) return;
  // A removal of the product waits for the lock, and then sees its targets.
  if (!(await products.findLocked(tx, caller.tenant, productId)))
    throw new Fault('DEPLOY_NO_TARGETS', 'The product was removed meanwhile.', { product: productId });
  for (const target of await store.claim(tx, caller.tenant, free, productId, caller.subject))
    await publishEvent(tx, caller, 'target.claim', 'Target', target, {
      productId,
      environmentId: target.environmentId,
    });
};

/**
 * Locks a target until the transaction ends, and finds a running deployment that uses it. A launch locks its targets
 * too, so that one of the two sees the other.
 * @throws Fault RES_TARGET_NOT_FOUND, RES_VERSION_CONFLICT
 */
export const lockTarget = async (tx: Tx, caller: Who, id: store.TargetId, expected: number) => {
  const target = await store.getLocked(tx, caller.tenant, id);
  expectVersion(target, expected);
  const [use] = await store.listUses(tx, caller.tenant, [id]);
  return { target, use };
};
