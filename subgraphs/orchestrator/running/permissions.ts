import type { Id } from '@landfall/kernel/core/ids';
import type { Context } from '../context.ts';
import { loadPathStep } from '../deciding/promotions/path-step.ts';
import type { Promotion } from '../deciding/promotions/promotion.ts';
import { exclusiveRefusal, openPromotionRefusal } from '../deciding/promotions/promotion-rules.ts';
import { isOpen } from '../deciding/promotions/request-rule.ts';
import { type Permission, permission } from '../shared/permission.ts';
import type { Deployment, ProductEnvironment } from './deployments/deployment.ts';
import { exclusiveLaunchRefusal, launchRefusal } from './launch/launch-rule.ts';
import { retryRefusal } from './retry/retry-rule.ts';
import { holdReasons, productRefusal, type RollbackCase, rollbackRefusal } from './rollback/rollback-rule.ts';
import { type Control, controlRefusal } from './rollout/control-rule.ts';

const landedOf = async (releaseId: string, loaders: Context['loaders']) =>
  (await loaders.landingsOfRelease.load(releaseId)).map(({ environmentId }) => environmentId);

/** Refuses a launch by what is known without asking agents and registries. */
const refuseLaunch = async (ruleCase: Parameters<typeof launchRefusal>[0], loaders: Context['loaders']) => {
  const { environment, release } = ruleCase;
  const refusal = launchRefusal(ruleCase);
  if (refusal || !environment.isExclusive) return refusal;
  const active = await loaders.activeDeploymentsAtEnvironment.load(environment.id);
  return exclusiveLaunchRefusal(environment, release.productId, active);
};

/** Permission to launch, by facts that are known without requests to agents and registries. */
export const canLaunch = (promotion: Promotion, { caller, loaders, orchestrator }: Context): Promise<Permission> =>
  permission(caller, orchestrator.deployments.launch.spec, async () =>
    refuseLaunch(
      {
        launcher: await loaders.approver.load(promotion.id),
        promotion,
        ...(await loadPathStep(promotion, loaders)),
        landed: await landedOf(promotion.releaseId, loaders),
      },
      loaders,
    ),
  );

/** Permission to pause, resume, cancel, halt or promote a deployment in its state. */
export const canControl = (
  control: Control,
  deployment: Deployment,
  { caller, orchestrator: { deployments } }: Context,
) => {
  const operations = { ...deployments, advance: deployments.advancePhase };
  return permission(caller, operations[control].spec, () => controlRefusal(control, deployment));
};

/** Reads the facts that decide about a rollback of a product in an environment. */
export const readRollbackFacts = async (productOnEnvironment: ProductEnvironment, { loaders }: Context) => {
  const [[newest], verified] = await Promise.all([
    loaders.newestDeployment.load(productOnEnvironment),
    loaders.verifiedDeployments.load(productOnEnvironment),
  ]);
  const releases = await Promise.all(verified.map(({ releaseId }) => loaders.release.get(releaseId)));
  return { environmentId: productOnEnvironment.environmentId, newest, verified, holds: holdReasons(releases) };
};

/** Reads the same of the product that was deployed to an environment last. */
export const readLatestRollbackFacts = async (
  environmentId: Id<'Environment'>,
  context: Context,
): Promise<RollbackCase<Deployment>> => {
  const [newest] = await context.loaders.newestDeploymentOfEnvironment.load(environmentId);
  return newest ? readRollbackFacts(newest, context) : { environmentId, newest, verified: [], holds: new Map() };
};

/** Permission to roll a product back in an environment; `rule` checks whether that would undo the deployment in question. */
export const canRollBack = (
  productOnEnvironment: ProductEnvironment,
  context: Context,
  rule: (asked: RollbackCase) => ReturnType<typeof rollbackRefusal>,
): Promise<Permission> =>
  permission(context.caller, context.orchestrator.deployments.rollback.spec, async () =>
    rule(await readRollbackFacts(productOnEnvironment, context)),
  );

/** Permission to roll an environment back without naming a product. */
export const canRollBackEnvironment = (environmentId: Id<'Environment'>, context: Context): Promise<Permission> =>
  permission(
    context.caller,
    context.orchestrator.deployments.rollback.spec,
    async () =>
      productRefusal(await context.loaders.productsOfEnvironment.load(environmentId)) ??
      rollbackRefusal(await readLatestRollbackFacts(environmentId, context)),
  );

/** Permission to retry a deployment, by the rules of the promotion and of the launch that the retry would create. */
export const canRetry = (deployment: Deployment, { caller, loaders, orchestrator }: Context): Promise<Permission> =>
  permission(caller, orchestrator.deployments.retry.spec, async () => {
    const [newest] = await loaders.newestDeployment.load(deployment);
    const refusal = retryRefusal({ deployment, newest });
    if (refusal) return refusal;
    const [launcher, failed, release, { environment, steps }, all] = await Promise.all([
      loaders.approver.load(deployment.promotionId),
      loaders.promotion.get(deployment.promotionId),
      loaders.release.get(deployment.releaseId),
      loadPathStep({ releaseId: deployment.releaseId, targetEnvironmentId: deployment.environmentId }, loaders),
      loaders.promotionsOfRelease.load(deployment.releaseId),
    ]);
    const open = all.find((each) => each.targetEnvironmentId === deployment.environmentId && isOpen(each));
    if (open) return openPromotionRefusal(open);
    const toExclusive = environment.isExclusive ? await loaders.openPromotionsToEnvironment.load(environment.id) : [];
    const otherPromotion = toExclusive.find(({ productId }) => productId !== deployment.productId);
    if (otherPromotion) return exclusiveRefusal(environment, otherPromotion);
    const promotion = { ...failed, state: 'approved' as const };
    return refuseLaunch({ launcher, promotion, release, environment, steps, landed: undefined }, loaders);
  });
