import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Id } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import * as promotions from '../../deciding/promotions/promotions.store.ts';
import * as deployments from './deployments.store.ts';

export const deploymentNotFound = (id: string): Fault =>
  new Fault('RES_NOT_FOUND', `There is no deployment ${id}.`, { id });

/** Locks a job behind its promotion: the one order in which anybody takes the two. */
export const lockJob = async (
  tx: Tx,
  who: Who,
  jobId: Id<'Deployment'>,
): Promise<deployments.Deployment | undefined> => {
  const known = await deployments.find(tx, who.tenant, jobId);
  if (!known) return undefined;
  await promotions.lock(tx, who.tenant, known.promotionId);
  return deployments.lock(tx, who.tenant, jobId);
};
