import { connectionOf } from '@landfall/kernel/operation/page';
import { isAdverse, outcomeOf } from '../deciding/promotions/outcome-rule.ts';
import type { Resolvers } from '../generated.ts';
import { userOf } from '../shared/user-reference.ts';
import { errorCodes, groupFailures } from './deployments/failure-groups.ts';
import { nextActorOf } from './deployments/next-actor.ts';
import { canControl, canLaunch } from './permissions.ts';

export const deploymentResolvers = {
  Query: {
    deployment: (_, args, { caller, orchestrator }) => orchestrator.deployments.get(caller, args),
    deployments: async (_, args, { caller, orchestrator }) =>
      connectionOf(await orchestrator.deployments.list(caller, args)),
    preflight: (_, args, { caller, orchestrator }) => orchestrator.deployments.preflight(caller, args),
    strategyPlan: (_, args, { caller, orchestrator }) => orchestrator.deployments.plan(caller, args),
  },
  Mutation: {
    launchDeployment: (_, { input }, { caller, orchestrator }) => orchestrator.deployments.launch(caller, input),
    pauseDeployment: (_, { input }, { caller, orchestrator }) => orchestrator.deployments.pause(caller, input),
    resumeDeployment: (_, { input }, { caller, orchestrator }) => orchestrator.deployments.resume(caller, input),
    advancePhase: (_, { input }, { caller, orchestrator }) => orchestrator.deployments.advancePhase(caller, input),
    haltDeployment: (_, { input }, { caller, orchestrator }) => orchestrator.deployments.halt(caller, input),
    cancelDeployment: (_, { input }, { caller, orchestrator }) => orchestrator.deployments.cancel(caller, input),
  },
  Deployment: {
    __resolveReference: ({ id }, { loaders }) => loaders.deployment.load(id),
    release: ({ releaseId }, _, { loaders }) => loaders.release.get(releaseId),
    product: ({ productId }, _, { loaders }) => loaders.product.get(productId),
    promotion: ({ promotionId }, _, { loaders }) => loaders.promotion.get(promotionId),
    environment: ({ environmentId }, _, { loaders }) => loaders.environment.get(environmentId),
    status: ({ state }) => state,
    waitsFor: nextActorOf,
    failureReason: ({ anatomy }) => anatomy?.plainReason ?? null,
    failureAnatomy: ({ anatomy }) => anatomy,
    landingVerification: ({ landing }) => landing,
    phases: ({ id }, _, { loaders }) => loaders.phasesOfDeployment.load(id),
    targets: ({ id }, _, { loaders }) => loaders.targetsOfDeployment.load(id),
    target: async ({ id }, { targetId }, { loaders }) =>
      (await loaders.targetsOfDeployment.load(id)).find((row) => row.targetId === targetId),
    failureGroups: async ({ id }, _, { loaders }) => groupFailures(await loaders.targetsOfDeployment.load(id)),
    launchedBy: ({ launchedBy }) => userOf(launchedBy),
    undoes: ({ previousDeploymentId }, _, { loaders }) =>
      previousDeploymentId && loaders.deployment.get(previousDeploymentId),
    undoneBy: ({ undoneById }, _, { loaders }) => undoneById && loaders.deployment.get(undoneById),
    retryOf: ({ retryOfId }, _, { loaders }) => retryOfId && loaders.deployment.get(retryOfId),
    viewerCanPause: (deployment, _, context) => canControl('pause', deployment, context),
    viewerCanResume: (deployment, _, context) => canControl('resume', deployment, context),
    viewerCanAdvance: (deployment, _, context) => canControl('advance', deployment, context),
    viewerCanHalt: (deployment, _, context) => canControl('halt', deployment, context),
    viewerCanCancel: (deployment, _, context) => canControl('cancel', deployment, context),
  },
  DeploymentTarget: {
    target: ({ targetId }, _, { loaders }) => loaders.target.get(targetId),
    status: ({ state }) => state,
    error: ({ anatomy }) => anatomy?.plainReason ?? null,
    failureAnatomy: ({ anatomy }) => anatomy,
    step: async ({ deploymentId, targetId }, _, { loaders }) =>
      (await loaders.stepsOfDeployment.load(deploymentId)).findLast((step) => step.targetId === targetId)?.step,
    timeline: async ({ deploymentId, targetId }, _, { loaders }) =>
      (await loaders.stepsOfDeployment.load(deploymentId)).filter((step) => step.targetId === targetId),
  },
  FailureGroup: {
    category: ({ anatomy }) => anatomy.category,
    reason: ({ anatomy }) => anatomy.reason,
    plainReason: ({ anatomy }) => anatomy.plainReason,
    action: ({ anatomy }) => anatomy.action,
    actionPath: ({ anatomy }) => anatomy.actionPath,
    retryable: ({ anatomy }) => anatomy.retryable,
    errorCodes,
    count: ({ targets }) => targets.length,
  },
  Environment: {
    products: async (environment, _, { loaders }) => {
      const deployed = await loaders.productsOfEnvironment.load(environment.id);
      const products = await Promise.all(deployed.map(({ productId }) => loaders.product.get(productId)));
      return products
        .toSorted((a, b) => a.name.localeCompare(b.name))
        .map(({ id: productId }) => ({ productId, environmentId: environment.id }));
    },
    currentDeployment: async ({ id }, _, { loaders }) => (await loaders.currentDeploymentOfEnvironment.load(id))[0],
    activeDeployment: async ({ id }, _, { loaders }) => (await loaders.activeDeploymentOfEnvironment.load(id))[0],
  },
  ReleaseInEnvironment: {
    deployment: async ({ releaseId, environmentId }, _, { loaders }) =>
      (await loaders.newestDeploymentsOfRelease.load(releaseId)).find(
        (deployment) => deployment.environmentId === environmentId,
      ),
    isCurrent: async (parent, _, { loaders }) =>
      (await loaders.currentDeployment.load(parent))[0]?.releaseId === parent.releaseId,
  },
  ProductInEnvironment: {
    currentDeployment: async (parent, _, { loaders }) => (await loaders.currentDeployment.load(parent))[0],
    activeDeployment: async (parent, _, { loaders }) => (await loaders.activeDeployment.load(parent))[0],
    newestDeployment: async (parent, _, { loaders }) => (await loaders.newestDeployment.load(parent))[0],
  },
  Release: {
    outcomes: ({ id }, _, { loaders }) => loaders.outcomesOfRelease.load(id),
  },
  Outcome: {
    deployment: ({ id }, _, { loaders }) => loaders.deployment.get(id),
    environment: ({ environmentId }, _, { loaders }) => loaders.environment.get(environmentId),
    state: outcomeOf,
    asks: isAdverse,
    at: async ({ undoneById, completedAt, createdAt }, _, { loaders }) =>
      (undoneById && (await loaders.deployment.get(undoneById)).completedAt) || completedAt || createdAt,
    by: async ({ undoneById, launchedBy }, _, { loaders }) =>
      userOf(undoneById ? (await loaders.deployment.get(undoneById)).launchedBy : launchedBy),
  },
  Today: {
    inProgress: (_, __, { loaders }) => loaders.deploymentsUnderWay.load(),
    failed: async (_, __, { loaders }) =>
      (await loaders.latestUnsuccessful.load()).filter(({ state }) => state === 'failed'),
    unverified: async (_, __, { loaders }) =>
      (await loaders.latestUnsuccessful.load()).filter(({ state }) => state === 'completed'),
  },
  Promotion: {
    deployment: async ({ id }, _, { loaders }) => (await loaders.newestDeploymentOfPromotion.load(id))[0],
    viewerCanLaunch: (promotion, _, context) => canLaunch(promotion, context),
  },
} satisfies Resolvers;
