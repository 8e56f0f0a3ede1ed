import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { publishEvent } from '../../shared/publish-event.ts';
import * as approvals from './approvals.store.ts';
import * as store from './promotions.store.ts';

/**
 * A promotion like one whose deployment failed: the same request of the same person, with the approvals that it had. A
 * promotion that failed is over, so that what is tried again has a promotion of its own.
 * @throws Fault PROM_ALREADY_EXISTS where somebody has asked for the same again
 */
export const requestRetry = async (tx: Tx, who: Who, id: store.PromotionId, failed: store.Promotion) => {
  const { createdAt: _createdAt, version: _version, approvals: _approvals, ...request } = failed;
  const requested = await store.insert(tx, who.tenant, { ...request, id, state: 'approved', retryOfId: failed.id });
  const copied = await approvals.copy(tx, who.tenant, failed.id, id);
  await publishEvent(tx, who, 'promotion.retry', 'Promotion', requested, {
    retryOf: failed.id,
    releaseId: failed.releaseId,
    environmentId: failed.targetEnvironmentId,
    reason: failed.reason,
    requestedBy: failed.requestedBy,
    approvals: copied,
    gatedDigestSet: failed.gatedDigestSet,
    state: 'approved',
  });
  const promotion = await store.find(tx, who.tenant, id);
  if (!promotion) throw new TypeError(`promotion ${id} has vanished`);
  return promotion;
};
