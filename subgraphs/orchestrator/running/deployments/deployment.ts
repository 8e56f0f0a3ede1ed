import type { Who } from '@landfall/kernel/core/caller';
import type { Id } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import * as promotions from '../../deciding/promotions/promotion.ts';
import * as deployments from './deployments.store.ts';
import * as outcomes from './outcomes.store.ts';

export const {
  scheduleAnalysis,
  endAnalysis,
  environmentBusy,
  environmentConflict,
  find,
  findLocked,
  get,
  setDeadline,
  list,
  listActive,
  listActiveByEnvironments,
  listActiveAt,
  listActiveIn,
  listByIds,
  listCurrentByEnvironments,
  listCurrentIn,
  listCurrentOfAll,
  listLatestUnsuccessful,
  listNewestByEnvironments,
  listNewestIn,
  listNewestByPromotions,
  listNewestByReleases,
  listPrevious,
  listProductsByEnvironments,
  listVerifiedIn,
  notFound,
  pauseReasons,
  states,
  touch,
} = deployments;
export const { listByReleases: listOutcomes } = outcomes;
export type Deployment = deployments.Deployment;
export type ProductEnvironment = deployments.ProductEnvironment;
export type Settled = deployments.Settled;
export type State = deployments.State;

/** Locks a deployment's promotion, then the deployment: the only order in which the two are locked. */
export const lockDeployment = async (tx: Tx, caller: Who, deploymentId: Id<'Deployment'>) => {
  const known = await deployments.find(tx, caller.tenant, deploymentId);
  if (!known) return undefined;
  await promotions.getLocked(tx, caller.tenant, known.promotionId);
  return deployments.findLocked(tx, caller.tenant, deploymentId);
};
