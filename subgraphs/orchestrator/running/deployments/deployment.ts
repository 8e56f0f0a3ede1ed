import type { Who } from '@landfall/kernel/core/caller';
import type { Id } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import * as promotions from '../../deciding/promotions/promotions.store.ts';
import * as deployments from './deployments.store.ts';

/** Locks a job behind its promotion: the one order in which anybody takes the two. */
export const lockJob = async (
  tx: Tx,
  who: Who,
  jobId: Id<'Deployment'>,
): Promise<deployments.Deployment | undefined> => {
  const known = await deployments.find(tx, who.tenant, jobId);
  if (!known) return undefined;
  await promotions.getLocked(tx, who.tenant, known.promotionId);
  return deployments.findLocked(tx, who.tenant, jobId);
};
