import type { Who } from '@landfall/kernel/core/caller';
import { exampleId, type Id, type Ids, idOf, toId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import { failpoint } from '@landfall/kernel/system/failpoint';
import Type from 'typebox';
import type { Environment } from '../../catalogue/environments/environment.ts';
import type { Target } from '../../catalogue/targets/target.ts';
import { lockPromotion } from '../../deciding/promotions/promotion.ts';
import { requestRetry } from '../../deciding/promotions/retry.ts';
import { refuse } from '../../shared/permission.ts';
import { operates } from '../../shared/scopes.ts';
import * as deployments from '../deployments/deployment.ts';
import * as deploymentTargets from '../deployments/deployment-target.ts';
import type { DeployingDeps } from '../launch/launch.ts';
import { LAUNCH_RAISES } from '../launch/launch-rule.ts';
import type { Plan } from '../plan/plan.ts';
import { planDeployment } from '../plan/plan-request.ts';
import { retryRefusal } from './retry-rule.ts';

interface RetryDeps extends DeployingDeps {
  readonly ids: Ids;
}

/** Reads the deployment to retry; throws Fault RES_NOT_FOUND, or the refusal of the retry. */
const retried = async (query: Query, caller: Who, id: Id<'Deployment'>): Promise<deployments.Deployment> => {
  const deployment = await deployments.get(query, caller.tenant, id);
  const [newest] = await deployments.listNewestIn(query, caller.tenant, [deployment]);
  refuse(retryRefusal({ deployment, newest }));
  return deployment;
};

/** Returns the failed plan if it still fits the targets and gates; otherwise plans again with the same strategy. */
const planAgain = (failed: Plan, environment: Environment, enabled: readonly Target[]): Plan => {
  const again = planDeployment(environment, enabled, { strategy: failed.requestedStrategy });
  const fits =
    failed.targetCount === again.targetCount &&
    failed.caveats.join() === again.caveats.join() &&
    (environment.analysis !== null || failed.phases.every(({ gate }) => gate !== 'analysis'));
  return fits ? failed : again;
};

/** Creates the operation that retries a failed deployment by a new promotion with copies of the approvals. */
export const createRetry = ({ operation, ids, preflight, launching }: RetryDeps) => ({
  retry: operation({
    name: 'deployment.retry',
    cost: 500,
    isRemote: true,
    kind: 'write',
    scope: operates,
    input: Type.Object({
      id: idOf('Deployment'),
      acknowledgeOutcomes: Type.Optional(Type.Array(idOf('Deployment'), { maxItems: 200 })),
    }),
    raises: ['RES_NOT_FOUND', 'PROM_ALREADY_EXISTS', ...LAUNCH_RAISES],
    example: { id: exampleId('Deployment') },
    async prepare(caller, { id }) {
      const deployment = await preflight.read(caller, (query) => retried(query, caller, id));
      const report = await preflight.check(caller, deployment.releaseId, deployment.environmentId);
      return { promotionId: deployment.promotionId, report };
    },
    async run(caller, { id, acknowledgeOutcomes = [] }, tx, { promotionId, report }) {
      // A concurrent retry or late end of the same deployment waits at this lock of its promotion.
      const failed = await lockPromotion(tx, caller, promotionId);
      const deployment = await retried(tx, caller, id);
      const promotion = await requestRetry(tx, caller, toId(ids.uuid(), 'Promotion'), failed);
      const repeated = await launching.launch(tx, caller, {
        promotion,
        report,
        plan: (environment, enabled) => planAgain(deployment.plan, environment, enabled),
        acknowledged: [],
        acknowledgedOutcomes: acknowledgeOutcomes,
        retryOf: deployment,
      });
      const cause = deployment.anatomy?.reason ?? null;
      await deploymentTargets.insertStepForAll(tx, caller.tenant, repeated.id, 'retry-prep', 'requested', cause);
      await failpoint('deploy.retry.written');
      return repeated;
    },
  }),
});
