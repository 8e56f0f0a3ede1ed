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

/** Takes an exclusive environment for a product. Returns an open promotion of another product to it, if there is one. */
export const takeEnvironment = async (
  tx: Tx,
  who: Who,
  environment: environments.Environment,
  product: products.ProductId,
) => {
  if (!environment.isExclusive) return undefined;
  await environments.lockExclusively(tx, who.tenant, environment.id);
  const open = await store.listOpenTo(tx, who.tenant, [environment.id]);
  return open.find(({ productId }) => productId !== product);
};

/** Reads what decides whether a promotion may be requested. Locks the release, so that it stays true. */
export const readRequest = async (
  tx: Tx,
  who: Who,
  history: DeploymentHistory,
  releaseId: releases.ReleaseId,
  environmentId: environments.EnvironmentId,
) => {
  const release = await releases.getLocked(tx, who.tenant, releaseId);
  // A removal of the environment waits, and then sees the promotion.
  await environments.lockShared(tx, who.tenant, [environmentId]);
  const steps = await products.listPathEntriesOf(tx, who.tenant, release.productId);
  const entry = steps.find((each) => each.environment.id === environmentId);
  const environment = entry?.environment ?? (await environments.get(tx, who.tenant, environmentId));
  const occupant = await takeEnvironment(tx, who, environment, release.productId);
  const promotions = await store.listByReleases(tx, who.tenant, [releaseId]);
  const landings = await history.listLanded(tx, who.tenant, [releaseId]);
  const landed = landings.map((landing) => landing.environmentId);
  return { release, environment, steps, step: entry?.step, promotions, landed, occupant };
};

/** Inserts a promotion that no rule refuses; one that needs no approval is approved. */
export const insertRequest = async (
  tx: Tx,
  who: Who,
  id: store.PromotionId,
  asked: Awaited<ReturnType<typeof readRequest>>,
  reason: string,
): Promise<store.Promotion> => {
  const { id: releaseId, gatedDigestSet } = asked.release;
  if (gatedDigestSet === null) throw new TypeError(`release ${releaseId} is ready without a digest set`);
  const approvalsNeeded = asked.environment.requiredApprovals;
  const promotion = await store.insert(tx, who.tenant, {
    id,
    releaseId,
    targetEnvironmentId: asked.environment.id,
    sourceEnvironmentId: sourceOf(asked),
    state: approvalsNeeded === 0 ? 'approved' : 'pending',
    reason,
    requestedBy: who.subject,
    requestedThrough: holdersOf(who),
    approvalsNeeded,
    gatedDigestSet,
    retryOfId: null,
  });
  await publishEvent(tx, who, 'promotion.request', 'Promotion', promotion, {
    releaseId,
    environmentId: promotion.targetEnvironmentId,
    reason,
    state: promotion.state,
    gatedDigestSet,
  });
  return promotion;
};
