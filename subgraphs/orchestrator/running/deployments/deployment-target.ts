import * as store from './deployment-targets.store.ts';

export const { cancelOthers, endOpen, insertStep, insertStepForAll, listByDeployments, listSteps, move, moveOn } =
  store;
export type DeploymentTarget = store.DeploymentTarget;
