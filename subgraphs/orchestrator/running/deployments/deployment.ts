import type { Who } from '@landfall/kernel/core/caller';
import type { Id } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import * as promotions from '../../deciding/promotions/promotion.ts';
import * as lists from './deployment-lists.store.ts';
import * as deployments from './deployments.store.ts';
import * as outcomes from './outcomes.store.ts';
import * as productEnvironments from './product-environments.store.ts';

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
  listActiveIn,
  listByIds,
  notFound,
  pauseReasons,
  states,
  touch,
} = deployments;
export const { listActive, listLatestUnsuccessful, listNewestByPromotions, listNewestByReleases, listPrevious } = lists;
export const {
  listActiveByEnvironments,
  listActiveAt,
  listCurrentByEnvironments,
  listCurrentIn,
  listCurrentOfAll,
  listNewestByEnvironments,
  listNewestIn,
  listProductsByEnvironments,
  listVerifiedIn,
} = productEnvironments;
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
