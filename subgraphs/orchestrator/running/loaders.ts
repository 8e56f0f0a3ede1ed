import type { Caller } from '@landfall/kernel/core/caller';
import type { Database } from '@landfall/kernel/db/database';
import { byId, byOwner, single } from '../shared/loader-factory.ts';
import * as deploymentPhases from './deployments/deployment-phases.store.ts';
import * as deploymentTargets from './deployments/deployment-targets.store.ts';
import * as deployments from './deployments/deployments.store.ts';
import * as outcomes from './deployments/outcomes.store.ts';
import type { Deployments } from './deployments.ts';
import { listNewestByEnvironments, listVerifiedByEnvironments } from './rollback/rollback.store.ts';

export const createDeploymentLoaders = (
  scope: { readonly database: Database; readonly caller: Caller },
  { get }: Pick<Deployments, 'get'>,
) => ({
  deployment: byId(scope, 'Deployment', get.spec, deployments.listByIds),
  /** Failed and unverified jobs after which nothing better has happened in their environment, newest first. */
  lastWords: single(scope, get.spec, deployments.listLatestUnsuccessful),
  deploymentsUnderWay: single(scope, get.spec, deployments.listActive),
  targetsOfDeployment: byOwner(
    scope,
    'Deployment',
    get.spec,
    deploymentTargets.listByDeployments,
    (row) => row.deploymentId,
  ),
  phasesOfDeployment: byOwner(
    scope,
    'Deployment',
    get.spec,
    deploymentPhases.listByDeployments,
    (row) => row.deploymentId,
  ),
  stepsOfDeployment: byOwner(scope, 'Deployment', get.spec, deploymentTargets.listSteps, (row) => row.deploymentId),
  newestDeploymentOfPromotion: byOwner(
    scope,
    'Promotion',
    get.spec,
    deployments.listNewestByPromotions,
    (row) => row.promotionId,
  ),
  currentDeploymentOfEnvironment: byOwner(
    scope,
    'Environment',
    get.spec,
    deployments.listCurrentByEnvironments,
    (row) => row.environmentId,
  ),
  activeDeploymentOfEnvironment: byOwner(
    scope,
    'Environment',
    get.spec,
    deployments.listActiveByEnvironments,
    (row) => row.environmentId,
  ),
  newestDeploymentOfEnvironment: byOwner(
    scope,
    'Environment',
    get.spec,
    listNewestByEnvironments,
    (row) => row.environmentId,
  ),
  verifiedDeploymentsOfEnvironment: byOwner(
    scope,
    'Environment',
    get.spec,
    listVerifiedByEnvironments,
    (row) => row.environmentId,
  ),
  outcomesOfRelease: byOwner(scope, 'Release', get.spec, outcomes.listByReleases, (row) => row.subjectId),
  newestDeploymentsOfRelease: byOwner(
    scope,
    'Release',
    get.spec,
    deployments.listNewestByReleases,
    (row) => row.releaseId,
  ),
});
