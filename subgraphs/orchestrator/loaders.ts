import type { Caller } from '@landfall/kernel/core/caller';
import { toId } from '@landfall/kernel/core/ids';
import type { Database } from '@landfall/kernel/db/database';
import { listOf as listEvents } from '@landfall/kernel/events/read';
import * as environments from './catalogue/environments/environments.store.ts';
import * as integrations from './catalogue/integrations/integrations.store.ts';
import * as releases from './catalogue/releases/releases.store.ts';
import * as secretProviders from './catalogue/secrets/providers.store.ts';
import * as targets from './catalogue/targets/targets.store.ts';
import { createVariableLoaders } from './catalogue/variables/loaders.ts';
import { getApprover } from './deciding/promotions/approver.ts';
import * as promotions from './deciding/promotions/promotions.store.ts';
import { listReleasePaths } from './deciding/promotions/release-path.ts';
import { listCustodies } from './evidence/custody/custody.ts';
import { createAttestationLoaders } from './evidence/statements/loaders.ts';
import { createEstateLoaders } from './observing/estate/loaders.ts';
import * as measurements from './running/analysis/measurements.store.ts';
import { deploymentHistory } from './running/deployments/deployment-history.ts';
import { createAgentLoaders } from './running/fleet/loaders.ts';
import { createDeploymentLoaders } from './running/loaders.ts';
import type { Services } from './services.ts';
import { byId, byOwner, ofOwner, single } from './shared/loader-factory.ts';

/** Loaders of one request. Each admits its caller as the operation does that reads the same. */
export const createLoaders = (database: Database, services: Services, caller: Caller) => {
  const scope = { database, caller };
  const may = {
    environments: services.environments.list.spec,
    targets: services.targets.list.spec,
    integrations: services.integrations.list.spec,
    releases: services.releases.get.spec,
    promotions: services.promotions.get.spec,
  };
  return {
    environment: byId(scope, 'Environment', may.environments, environments.listByIds),
    path: single(scope, may.environments, environments.list),
    target: byId(scope, 'Target', may.targets, targets.listByIds),
    targetsOfEnvironment: byOwner(
      scope,
      'Environment',
      may.targets,
      targets.listByEnvironments,
      ({ environmentId }) => environmentId,
    ),
    usesOfTarget: byOwner(scope, 'Target', may.targets, targets.listUses, ({ targetId }) => targetId),
    targetsOfAgent: byOwner(scope, 'Agent', may.targets, targets.listByAgents, ({ agentId }) => agentId),
    integration: byId(scope, 'Integration', may.integrations, integrations.listByIds),
    secretProvider: byId(scope, 'SecretProvider', services.secretProviders.list.spec, secretProviders.listByIds),
    release: byId(scope, 'Release', may.releases, releases.listByIds),
    historyOfRelease: byOwner(
      scope,
      'Release',
      may.releases,
      (query, tenant, ids) => listEvents(query, tenant, 'Release', ids),
      ({ entityId }) => toId(entityId, 'Release'),
    ),
    approver: ofOwner(
      scope,
      'Promotion',
      may.promotions,
      async (query, tenant, ids) => {
        const approver = await getApprover(query, { ...caller, tenant }, ids);
        return ids.map((promotionId) => ({ ...approver, promotionId }));
      },
      ({ promotionId }) => promotionId,
    ),
    promotion: byId(scope, 'Promotion', may.promotions, promotions.listByIds),
    promotionsOfRelease: byOwner(
      scope,
      'Release',
      may.promotions,
      promotions.listByReleases,
      ({ releaseId }) => releaseId,
    ),
    measurementsOfDeployment: byOwner(
      scope,
      'Deployment',
      services.deployments.get.spec,
      measurements.listByDeployments,
      ({ deploymentId }) => deploymentId,
    ),
    ...createAttestationLoaders(scope, services.attestations, services.deployments.get.spec),
    ...createVariableLoaders(scope, may.environments),
    ...createDeploymentLoaders(scope, services.deployments),
    ...createAgentLoaders(scope, services.agents),
    ...createEstateLoaders(scope, services.estate),
    custody: ofOwner(scope, 'Release', services.custody.get.spec, listCustodies, ({ releaseId }) => releaseId),
    landscape: byOwner(
      scope,
      'Release',
      may.promotions,
      (query, tenant, ids) => listReleasePaths(query, tenant, ids, deploymentHistory),
      ({ releaseId }) => releaseId,
    ),
  };
};

export type Loaders = ReturnType<typeof createLoaders>;
