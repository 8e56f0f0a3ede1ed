import { holdersOf, type Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import * as environments from '../../catalogue/environments/environment.ts';
import * as products from '../../catalogue/products/product.ts';
import * as releases from '../../catalogue/releases/release.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import type { DeploymentHistory } from './ports.ts';
import * as store from './promotions.store.ts';

/** Environment that a promotion comes from: the last one before its step. */
const sourceOf = ({
  steps,
  step,
}: {
  readonly steps: readonly products.PathEntry[];
  readonly step: products.PathEntry['step'] | undefined;
}) => steps.findLast(({ environment }) => step?.after.includes(environment.id))?.environment.id ?? null;

/**
 * Locks an exclusive environment for a product. Returns an open promotion of another product to it, if there is one.
 */
export const takeEnvironment = async (
  tx: Tx,
  caller: Who,
  environment: environments.Environment,
  product: products.ProductId,
) => {
  if (!environment.isExclusive) return undefined;
  await environments.lockExclusively(tx, caller.tenant, environment.id);
  const open = await store.listOpenTo(tx, caller.tenant, [environment.id]);
  return open.find(({ productId }) => productId !== product);
};

/** Reads the facts that decide whether a promotion may be requested. Locks the release, so that they do not change. */
export const readRequest = async (
  tx: Tx,
  caller: Who,
  history: DeploymentHistory,
  releaseId: releases.ReleaseId,
  environmentId: environments.EnvironmentId,
) => {
  const release = await releases.getLocked(tx, caller.tenant, releaseId);
  // A removal of the environment waits for this lock, and then finds the promotion.
  await environments.lockShared(tx, caller.tenant, [environmentId]);
  const steps = await products.listPathEntriesOf(tx, caller.tenant, release.productId);
  const entry = steps.find((each) => each.environment.id === environmentId);
  const environment = entry?.environment ?? (await environments.get(tx, caller.tenant, environmentId));
  const otherPromotion = await takeEnvironment(tx, caller, environment, release.productId);
  const promotions = await store.listByReleases(tx, caller.tenant, [releaseId]);
  const landings = await history.listLanded(tx, caller.tenant, [releaseId]);
  const landed = landings.map((landing) => landing.environmentId);
  return { release, environment, steps, step: entry?.step, promotions, landed, occupant: otherPromotion };
};

/** Inserts a promotion that no rule refuses; one that needs no approval is approved. */
export const insertRequest = async (
  tx: Tx,
  caller: Who,
  id: store.PromotionId,
  request: Awaited<ReturnType<typeof readRequest>>,
  reason: string,
): Promise<store.Promotion> => {
  const { id: releaseId, gatedDigestSet } = request.release;
  if (gatedDigestSet === null) throw new TypeError(`release ${releaseId} is ready without a digest set`);
  const approvalsNeeded = request.environment.requiredApprovals;
  const promotion = await store.insert(tx, caller.tenant, {
    id,
    releaseId,
    targetEnvironmentId: request.environment.id,
    sourceEnvironmentId: sourceOf(request),
    state: approvalsNeeded === 0 ? 'approved' : 'pending',
    reason,
    requestedBy: caller.subject,
    requestedThrough: holdersOf(caller),
    approvalsNeeded,
    gatedDigestSet,
    retryOfId: null,
  });
  await publishEvent(tx, caller, 'promotion.request', 'Promotion', promotion, {
    releaseId,
    environmentId: promotion.targetEnvironmentId,
    reason,
    state: promotion.state,
    gatedDigestSet,
  });
  return promotion;
};
