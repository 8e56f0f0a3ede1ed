import * as store from './deployment-phases.store.ts';

export const { endAll, listByDeployments } = store;
export type DeploymentPhase = store.DeploymentPhase;
