import type { Context } from '../context.ts';
import type { Promotion } from '../deciding/promotions/promotion.ts';
import { openPromotionRefusal } from '../deciding/promotions/promotion-rules.ts';
import { isOpen } from '../deciding/promotions/request-rule.ts';
import { type Permission, permission } from '../shared/permission.ts';
import type { Deployment } from './deployments/deployment.ts';
import { launchRefusal } from './launch/launch-rule.ts';
import { retryRefusal } from './retry/retry-rule.ts';
import { holdReasons, type RollbackCase, type rollbackRefusal } from './rollback/rollback-rule.ts';
import { type Control, controlRefusal } from './rollout/control-rule.ts';

/** Permission to launch, by what is known without asking agents and registries. */
export const canLaunch = (promotion: Promotion, { caller, loaders, orchestrator }: Context): Promise<Permission> =>
  permission(caller, orchestrator.deployments.launch.spec, async () =>
    launchRefusal({
      launcher: await loaders.approver.load(promotion.id),
      promotion,
      release: await loaders.release.get(promotion.releaseId),
      environment: await loaders.environment.get(promotion.targetEnvironmentId),
    }),
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

export const rollbackCaseOf = async (environmentId: string, { loaders }: Context) => {
  const [[newest], verified] = await Promise.all([
    loaders.newestDeploymentOfEnvironment.load(environmentId),
    loaders.verifiedDeploymentsOfEnvironment.load(environmentId),
  ]);
  const releases = await Promise.all(verified.map(({ releaseId }) => loaders.release.get(releaseId)));
  return { environmentId, newest, verified, holds: holdReasons(releases) };
};

/** Permission to roll an environment back; `rule` checks whether that would undo the deployment in question. */
export const canRollBack = (
  environmentId: string,
  context: Context,
  rule: (asked: RollbackCase) => ReturnType<typeof rollbackRefusal>,
): Promise<Permission> =>
  permission(context.caller, context.orchestrator.deployments.rollback.spec, async () =>
    rule(await rollbackCaseOf(environmentId, context)),
  );

/** Permission to retry a deployment, by the rules of the promotion and of the launch that the retry would create. */
export const canRetry = (deployment: Deployment, { caller, loaders, orchestrator }: Context): Promise<Permission> =>
  permission(caller, orchestrator.deployments.retry.spec, async () => {
    const [newest] = await loaders.newestDeploymentOfEnvironment.load(deployment.environmentId);
    const refusal = retryRefusal({ deployment, newest });
    if (refusal) return refusal;
    const [launcher, failed, release, environment, all] = await Promise.all([
      loaders.approver.load(deployment.promotionId),
      loaders.promotion.get(deployment.promotionId),
      loaders.release.get(deployment.releaseId),
      loaders.environment.get(deployment.environmentId),
      loaders.promotionsOfRelease.load(deployment.releaseId),
    ]);
    const open = all.find((each) => each.targetEnvironmentId === deployment.environmentId && isOpen(each));
    if (open) return openPromotionRefusal(open);
    return launchRefusal({ launcher, promotion: { ...failed, state: 'approved' }, release, environment });
  });
