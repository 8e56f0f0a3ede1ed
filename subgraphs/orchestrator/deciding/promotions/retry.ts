import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';
import * as approvals from './approvals.store.ts';
import * as store from './promotions.store.ts';

/**
 * A promotion like one whose deployment failed: the same request of the same person, with the approvals that it had. A
 * promotion that failed is over, so that what is tried again has a promotion of its own.
 * @throws Fault PROM_ALREADY_EXISTS where somebody has asked for the same again
 */
export const requestRetry = async (
  tx: Tx,
  who: Who,
  id: store.PromotionId,
  failed: store.Promotion,
): Promise<store.Promotion> => {
  const { releaseId, targetEnvironmentId, sourceEnvironmentId, reason, requestedBy, approvalsNeeded, gatedDigestSet } =
    failed;
  const { version } = await store.insert(tx, who.tenant, {
    id,
    releaseId,
    targetEnvironmentId,
    sourceEnvironmentId,
    state: 'approved',
    reason,
    requestedBy,
    requestedThrough: failed.requestedThrough,
    approvalsNeeded,
    gatedDigestSet,
    retryOfId: failed.id,
  });
  const copied = await approvals.copy(tx, who.tenant, failed.id, id);
  await event(tx, who, 'promotion.retry', {
    entity: 'Promotion',
    id,
    version,
    data: {
      retryOf: failed.id,
      releaseId,
      environmentId: targetEnvironmentId,
      reason,
      requestedBy,
      approvals: copied,
      gatedDigestSet,
      state: 'approved',
    },
  });
  const promotion = await store.find(tx, who.tenant, id);
  if (!promotion) throw new TypeError(`promotion ${id} has vanished`);
  return promotion;
};
