import * as attestations from '@landfall/attestation/statements/attestations.store';
import * as externalEntries from '@landfall/attestation/statements/external-entries.store';
import type { Caller } from '@landfall/kernel/core/caller';
import { type Id, type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Database } from '@landfall/kernel/db/database';
import type { Query } from '@landfall/kernel/db/query';
import { listOf as listEvents } from '@landfall/kernel/events/read';
import type { OperationSpec } from '@landfall/kernel/operation/operation';
import DataLoader from 'dataloader';
import * as agents from './catalogue/agents/agent.ts';
import * as environments from './catalogue/environments/environment.ts';
import { listIntegrations } from './catalogue/integrations/integrations.ts';
import * as products from './catalogue/products/product.ts';
import * as releases from './catalogue/releases/release.ts';
import { listProviders } from './catalogue/secrets/providers.ts';
import * as targets from './catalogue/targets/target.ts';
import * as variableSets from './catalogue/variables/variable-sets.ts';
import { listComparisons } from './comparison/comparisons.ts';
import { getApprovingActor } from './deciding/promotions/approving-actor.ts';
import * as promotions from './deciding/promotions/promotion.ts';
import { listReleasePaths } from './deciding/promotions/release-path.ts';
import * as sources from './deciding/sources/source.ts';
import { listCustodies } from './evidence/custody/custody.ts';
import { MAX_RECIPES } from './evidence/statements/attestations.ts';
import { listDeviations } from './monitoring/estate/accepted-deviations.ts';
import {
  type ArtifactDigest,
  listLocations,
  listReleasesOnTargets,
  listStates,
  listStatesOfProducts,
  listUnsettled,
} from './monitoring/estate/estate.ts';
import { listMeasurements } from './running/analysis/analyst.ts';
import * as deployments from './running/deployments/deployment.ts';
import { deploymentHistory } from './running/deployments/deployment-history.ts';
import * as deploymentPhases from './running/deployments/deployment-phase.ts';
import * as deploymentTargets from './running/deployments/deployment-target.ts';
import { listObservations } from './running/observations/observations.ts';
import type { Services } from './services.ts';
import { loaderFactory } from './shared/loader-factory.ts';

const listHistory = async (query: Query, tenant: TenantId, ids: readonly Id<'Release'>[]) =>
  (await listEvents(query, tenant, 'Release', ids)).map((entry) => ({
    ...entry,
    releaseId: toId(entry.entityId, 'Release'),
  }));

const listAttestationsOfDeployments = async (query: Query, tenant: TenantId, ids: readonly Id<'Deployment'>[]) =>
  (await attestations.listByDeployments(query, tenant, ids)).map((attestation) => ({
    ...attestation,
    subject: toId(attestation.subjectId, 'Deployment'),
  }));

/** Creates the loaders of one request; each checks the caller like the operation that reads the same rows. */
export const createLoaders = (database: Database, services: Services, caller: Caller) => {
  const may = (operation: { readonly spec: OperationSpec }) => loaderFactory(database, caller, operation);
  const environment = may(services.environments.list);
  const product = may(services.products.list);
  const source = may(services.sources.list);
  const target = may(services.targets.list);
  const release = may(services.releases.get);
  const promotion = may(services.promotions.get);
  const deployment = may(services.deployments.get);
  const agent = may(services.agents.list);
  const matrix = may(services.estate.matrix);
  const attestation = may(services.attestations.get);
  const digest = may(services.estate.digest);
  return {
    environment: environment.byId('Environment', environments.listByIds),
    usesOfEnvironment: environment.byOwner('Environment', environments.listUses, 'environmentId'),
    product: product.byId('Product', products.listByIds),
    pathOfProduct: product.ofOwner(
      'Product',
      async (query, tenant, ids) =>
        [...(await products.listPathEntries(query, tenant, ids))].map(([productId, entries]) => ({
          productId,
          entries,
        })),
      'productId',
    ),
    releaseSource: source.byId('ReleaseSource', sources.listByIds),
    sourcesOfProduct: source.byOwner('Product', sources.listByProducts, 'productId'),
    newestCandidateOfProduct: source.byOwner('Product', sources.listNewestCandidates, 'productId'),
    refusedCandidatesOfProduct: source.byOwner('Product', sources.listRefused, 'productId'),
    newestVariableSetOfEnvironment: environment.byOwner('Environment', variableSets.listNewest, 'environmentId'),
    variableSetsOfEnvironment: environment.byOwner('Environment', variableSets.listByEnvironments, 'environmentId'),

    target: target.byId('Target', targets.listByIds),
    targetsOfEnvironment: target.byOwner('Environment', targets.listByEnvironments, 'environmentId'),
    usesOfTarget: target.byOwner('Target', targets.listUses, 'targetId'),
    targetsOfAgent: target.byOwner('Agent', targets.listByAgents, 'agentId'),

    integration: may(services.integrations.list).byId('Integration', listIntegrations),
    secretProvider: may(services.secretProviders.list).byId('SecretProvider', listProviders),

    release: release.byId('Release', releases.listByIds),
    historyOfRelease: release.byOwner('Release', listHistory, 'releaseId'),

    promotion: promotion.byId('Promotion', promotions.listByIds),
    promotionsOfRelease: promotion.byOwner('Release', promotions.listByReleases, 'releaseId'),
    openPromotionsToEnvironment: promotion.byOwner('Environment', promotions.listOpenTo, 'environmentId'),
    approver: promotion.ofOwner(
      'Promotion',
      async (query, tenant, ids) => {
        const approver = await getApprovingActor(query, { ...caller, tenant }, ids);
        return ids.map((promotionId) => ({ ...approver, promotionId }));
      },
      'promotionId',
    ),
    landscape: promotion.byOwner(
      'Release',
      (query, tenant, ids) => listReleasePaths(query, tenant, ids, deploymentHistory),
      'releaseId',
    ),

    deployment: deployment.byId('Deployment', deployments.listByIds),
    landingsOfRelease: deployment.byOwner('Release', deploymentHistory.listLanded, 'releaseId'),
    /** Failed and unverified deployments that are the newest of their environment, newest first. */
    latestUnsuccessful: deployment.single(deployments.listLatestUnsuccessful),
    deploymentsUnderWay: deployment.single(deployments.listActive),
    targetsOfDeployment: deployment.byOwner('Deployment', deploymentTargets.listByDeployments, 'deploymentId'),
    phasesOfDeployment: deployment.byOwner('Deployment', deploymentPhases.listByDeployments, 'deploymentId'),
    stepsOfDeployment: deployment.byOwner('Deployment', deploymentTargets.listSteps, 'deploymentId'),
    measurementsOfDeployment: deployment.byOwner('Deployment', listMeasurements, 'deploymentId'),
    newestDeploymentOfPromotion: deployment.byOwner('Promotion', deployments.listNewestByPromotions, 'promotionId'),
    currentDeploymentOfEnvironment: deployment.byOwner(
      'Environment',
      deployments.listCurrentByEnvironments,
      'environmentId',
    ),
    activeDeploymentsAtEnvironment: deployment.byOwner('Environment', deployments.listActiveAt, 'environmentId'),
    activeDeploymentOfEnvironment: deployment.byOwner(
      'Environment',
      deployments.listActiveByEnvironments,
      'environmentId',
    ),
    newestDeploymentOfEnvironment: deployment.byOwner(
      'Environment',
      deployments.listNewestByEnvironments,
      'environmentId',
    ),
    currentDeployment: deployment.byPair(deployments.listCurrentIn),
    activeDeployment: deployment.byPair(deployments.listActiveIn),
    newestDeployment: deployment.byPair(deployments.listNewestIn),
    verifiedDeployments: deployment.byPair(deployments.listVerifiedIn),
    promotionsUnderWay: promotion.byPair(promotions.listOpenIn),
    stateOfProduct: matrix.byPair(listStatesOfProducts),
    targetsOfProduct: target.byOwner('Product', targets.listByProducts, 'productId'),
    productsOfEnvironment: deployment.byOwner('Environment', deployments.listProductsByEnvironments, 'environmentId'),
    outcomesOfRelease: deployment.byOwner('Release', deployments.listOutcomes, 'subjectId'),
    newestDeploymentsOfRelease: deployment.byOwner('Release', deployments.listNewestByReleases, 'releaseId'),
    attestationsOfDeployment: deployment.byOwner('Deployment', listAttestationsOfDeployments, 'subject'),

    agent: agent.byId('Agent', agents.listByIds),
    observationsOfTarget: agent.byOwner('Target', listObservations, 'targetId'),

    locationsOfArtifact: digest.batch((query, tenant, keys: readonly ArtifactDigest[]) =>
      listLocations(query, { ...caller, tenant }, keys),
    ),
    releasesOfArtifact: digest.batch(async (query, tenant, keys: readonly ArtifactDigest[]) => {
      const named = [...new Set(keys.map((key) => key.digest))];
      const byDigest = await releases.listByDigests(query, tenant, named);
      return keys.map((key) => byDigest.get(key.digest) ?? []);
    }),
    deviation: may(services.estate.deviations).byId('Deviation', listDeviations),
    releasesOnTargets: matrix.byOwner('Environment', listReleasesOnTargets, 'environmentId'),
    stateOfEnvironment: matrix.byOwner('Environment', listStates, 'environmentId'),
    unsettled: matrix.single(listUnsettled),

    attestation: attestation.byId('Attestation', attestations.listAttested),
    wholeAttestation: attestation.byId('Attestation', attestations.listWholeByIds),
    externalEntriesOfAttestation: attestation.byOwner(
      'Attestation',
      externalEntries.listByAttestations,
      'attestationId',
    ),
    recipe: new DataLoader<string, string>((refs) => services.attestations.recipes(caller, { refs }), {
      cache: false,
      maxBatchSize: MAX_RECIPES,
    }),
    comparison: may(services.comparisons.compare).batch(listComparisons),
    custody: may(services.custody.get).ofOwner('Release', listCustodies, 'releaseId'),
  };
};

export type Loaders = ReturnType<typeof createLoaders>;
