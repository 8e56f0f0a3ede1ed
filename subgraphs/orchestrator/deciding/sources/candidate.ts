import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import * as products from '../../catalogue/products/product.ts';
import type * as releases from '../../catalogue/releases/release.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import * as store from './candidates.store.ts';
import * as refused from './refused-candidates.store.ts';

/** Attempts at a step that fails for a cause that may pass: 2 hours and 45 minutes. */
const MAX_ATTEMPTS = 40;

/** Candidate with a release. */
export type Drafted = store.ReleaseCandidate & { readonly releaseId: releases.ReleaseId };

export const hasRelease = (candidate: store.ReleaseCandidate): candidate is Drafted => candidate.releaseId !== null;

/**
 * Caller of the worker that acts with the authority of these people and clients: they count as authors of the releases
 * it creates.
 */
export const actingFor = (caller: Who, controllers: readonly string[]): Who => ({
  ...caller,
  earlierHolders: [...new Set(controllers)].filter((each) => each !== caller.clientId).toSorted(),
});

/** Ends a locked candidate that becomes no release, or whose release is not requested further, with the reason. */
export const refuseCandidate = async (
  tx: Tx,
  caller: Who,
  ids: Deps['ids'],
  candidate: store.ReleaseCandidate,
  { code, message }: Fault,
): Promise<void> => {
  const { id, productId, releaseId, policy, setDigest } = candidate;
  await refused.record(tx, caller.tenant, {
    id: toId(ids.uuid(), 'RefusedCandidate'),
    productId,
    code,
    reason: message,
    releaseId,
  });
  await store.advance(tx, caller.tenant, id, { state: 'refused', policy, setDigest, releaseId, problem: message });
  const [product] = await products.listByIds(tx, caller.tenant, [productId]);
  if (product)
    await publishEvent(tx, caller, 'source.refuse', 'Product', product, { code, reason: message, release: releaseId });
};

/** Postpones the step of a locked candidate that failed for a cause that may pass; the last attempt ends the candidate. */
export const postponeCandidate = async (
  tx: Tx,
  caller: Who,
  ids: Deps['ids'],
  candidate: store.ReleaseCandidate,
  { code, message }: Fault,
): Promise<void> => {
  const { id, attempts } = candidate;
  if (attempts >= MAX_ATTEMPTS)
    return refuseCandidate(tx, caller, ids, candidate, new Fault(code, `${message} It was tried ${attempts} times.`));
  await store.postpone(tx, caller.tenant, id, `${message} It is tried again.`);
};
