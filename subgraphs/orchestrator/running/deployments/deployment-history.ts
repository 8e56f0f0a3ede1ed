import type { DeploymentHistory } from '../../deciding/promotions/ports.ts';
import { listLanded } from './deployments.store.ts';
import { listByReleases } from './outcomes.store.ts';

/** Past deployments, as promotions ask for them. */
export const deploymentHistory: DeploymentHistory = { listLanded, listEnded: listByReleases };
