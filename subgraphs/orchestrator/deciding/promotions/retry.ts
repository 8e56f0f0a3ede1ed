import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import * as environments from '../../catalogue/environments/environment.ts';
import * as releases from '../../catalogue/releases/release.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import * as approvals from './approvals.store.ts';
import { exclusiveRefusal } from './promotion-rules.ts';
import * as store from './promotions.store.ts';
import { takeEnvironment } from './request.ts';

/**
 * Requests a promotion again after its deployment failed: same requester, with copies of its approvals. A failed
 * promotion is final, so that a retry needs one of its own.
 * @throws Fault PROM_ALREADY_EXISTS when there is another open one for the same release and environment, or one of another
 * product to an exclusive environment
 */
export const requestRetry = async (tx: Tx, caller: Who, id: store.PromotionId, failed: store.Promotion) => {
  const environment = await environments.get(tx, caller.tenant, failed.targetEnvironmentId);
  const { productId } = await releases.get(tx, caller.tenant, failed.releaseId);
  const otherPromotion = await takeEnvironment(tx, caller, environment, productId);
  if (otherPromotion) throw exclusiveRefusal(environment, otherPromotion);
  const { createdAt: _createdAt, version: _version, approvals: _approvals, ...request } = failed;
  const requested = await store.insert(tx, caller.tenant, { ...request, id, state: 'approved', retryOfId: failed.id });
  const copied = await approvals.copy(tx, caller.tenant, failed.id, id);
  await publishEvent(tx, caller, 'promotion.retry', 'Promotion', requested, {
    retryOf: failed.id,
    releaseId: failed.releaseId,
    environmentId: failed.targetEnvironmentId,
    reason: failed.reason,
    requestedBy: failed.requestedBy,
    approvals: copied,
    gatedDigestSet: failed.gatedDigestSet,
    state: 'approved',
  });
  const promotion = await store.find(tx, caller.tenant, id);
  if (!promotion) throw new TypeError(`promotion ${id} has vanished`);
  return promotion;
};
