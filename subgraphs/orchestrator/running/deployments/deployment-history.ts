import type { DeploymentHistory } from '../../deciding/promotions/ports.ts';
import { listLanded } from './deployments.store.ts';
import { listByReleases } from './outcomes.store.ts';

/** Past deployments, read by the rules of promotions. */
export const deploymentHistory: DeploymentHistory = { listLanded, listEnded: listByReleases };
