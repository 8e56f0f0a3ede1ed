import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, type Id, idOf } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { freeText } from '@landfall/kernel/operation/input';
import { failpoint } from '@landfall/kernel/system/failpoint';
import Type from 'typebox';
import * as environments from '../../catalogue/environments/environment.ts';
import * as products from '../../catalogue/products/product.ts';
import * as releases from '../../catalogue/releases/release.ts';
import * as promotions from '../../deciding/promotions/promotion.ts';
import { refuse } from '../../shared/permission.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { operates } from '../../shared/scopes.ts';
import { insertDeployment } from '../deployments/create-deployment.ts';
import * as deployments from '../deployments/deployment.ts';
import * as deploymentTargets from '../deployments/deployment-target.ts';
import { markRollingBack } from '../deployments/undone-deployment.ts';
import type { DeployingDeps } from '../launch/launch.ts';
import { READINESS_RAISES } from '../launch/launch-rule.ts';
import { planDeployment } from '../plan/plan-request.ts';
import { holdReasons, missingImagesRefusal, productRefusal, type Rollback, rollbackOf } from './rollback-rule.ts';

interface RollbackInput {
  readonly environmentId: Id<'Environment'>;
  readonly productId?: Id<'Product'>;
  readonly toDeploymentId?: Id<'Deployment'>;
}

/** Finds the deployments that a rollback undoes and restores; throws the Fault that refuses it. */
const found = async (query: Query, caller: Who, rollbackInput: RollbackInput) => {
  const { environmentId, toDeploymentId: requested } = rollbackInput;
  await environments.get(query, caller.tenant, environmentId);
  const back = requested === undefined ? undefined : await deployments.get(query, caller.tenant, requested);
  const deployed = await deployments.listProductsByEnvironments(query, caller.tenant, [environmentId]);
  const named = rollbackInput.productId ?? back?.productId;
  if (named === undefined) refuse(productRefusal(deployed));
  const productId = named ?? deployed[0]?.productId;
  const steps = productId === undefined ? [] : [{ productId, environmentId }];
  const [newest] = await deployments.listNewestIn(query, caller.tenant, steps);
  const verified = await deployments.listVerifiedIn(query, caller.tenant, steps);
  const releaseIds = verified.map(({ releaseId }) => releaseId);
  const known = await releases.listByIds(query, caller.tenant, releaseIds);
  const rollback = rollbackOf({ environmentId, newest, verified, holds: holdReasons(known), wanted: requested });
  if (rollback instanceof Fault) throw rollback;
  const release = known.find(({ id }) => id === rollback.restored.releaseId);
  const entry = release && (await products.findPathEntry(query, caller.tenant, release.productId, environmentId));
  if (!entry) throw new TypeError(`deployment ${rollback.restored.id} has lost its release or environment`);
  return { ...rollback, ...entry, release };
};

/** Locks what a rollback changes, in the common order: release, promotions, deployment. */
const lockAll = async (
  tx: Tx,
  caller: Who,
  { undone: undoneDeployment, restored }: Rollback<deployments.Deployment>,
): Promise<void> => {
  await releases.getLocked(tx, caller.tenant, restored.releaseId);
  for (const id of [...new Set([undoneDeployment.promotionId, restored.promotionId])].toSorted())
    await promotions.getLocked(tx, caller.tenant, id);
  await deployments.findLocked(tx, caller.tenant, undoneDeployment.id);
};

/** Refuses a rollback if its deployments changed since preflight. */
const refuseChanged = (preview: Rollback, now: Rollback): void => {
  if (preview.undone.id === now.undone.id && preview.restored.id === now.restored.id) return;
  throw new Fault('RES_VERSION_CONFLICT', 'The deployed release changed since you opened the page. Reload.', {
    expected: preview.undone.id,
    actual: now.undone.id,
  });
};

/** Creates the operations that roll an environment back to an earlier verified deployment. */
export const createRollback = ({ operation, preflight, launching }: DeployingDeps) => ({
  rollback: operation({
    name: 'environment.rollback',
    cost: 500,
    isRemote: true,
    kind: 'write',
    scope: operates,
    input: Type.Object({
      environmentId: idOf('Environment'),
      // Required where several products were deployed.
      productId: Type.Optional(idOf('Product')),
      toDeploymentId: Type.Optional(idOf('Deployment')),
      reason: freeText(2000, 10),
    }),
    raises: [
      'RES_ENVIRONMENT_NOT_FOUND',
      'VAL_REQUIRED_FIELD',
      'RES_NOT_FOUND',
      'DEPLOY_NOTHING_TO_ROLLBACK',
      'RES_VERSION_CONFLICT',
      ...READINESS_RAISES,
    ],
    example: { environmentId: exampleId('Environment'), reason: 'Checkout answers 500 since noon.' },
    async prepare(caller, rollbackInput) {
      const preview = await preflight.read(caller, (query) => found(query, caller, rollbackInput));
      const { release, environment, restored } = preview;
      const { variableSetVersion } = restored;
      const report = await preflight.check(caller, release.id, environment.id, {
        kind: 'rollback',
        variableSetVersion,
      });
      return { seen: preview, report };
    },
    async run(caller, rollbackInput, tx, { seen: preview, report }) {
      await lockAll(tx, caller, preview);
      const now = await found(tx, caller, rollbackInput);
      refuseChanged(preview, now);
      const { environment, release, undone: undoneDeployment, restored } = now;
      refuse(missingImagesRefusal(report, now));
      const enabled = await launching.reach(tx, caller, { ...now, kind: 'rollback' }, report);
      const deployment = await insertDeployment(
        tx,
        caller,
        {
          id: launching.newId(),
          promotionId: restored.promotionId,
          releaseId: release.id,
          productId: release.productId,
          environmentId: environment.id,
          kind: 'rollback',
          plan: planDeployment(environment, enabled, { strategy: 'all_at_once' }),
          launchedBy: caller.subject,
          timeoutSeconds: environment.deployTimeoutSeconds,
          reason: rollbackInput.reason,
          variableSetVersion: restored.variableSetVersion,
          previousDeploymentId: undoneDeployment.id,
        },
        enabled,
      );
      const detail = `back to ${release.name} ${release.semver}`;
      await deploymentTargets.insertStepForAll(tx, caller.tenant, deployment.id, 'rollback', 'requested', detail);
      await publishEvent(tx, caller, 'deployment.rollback', 'Deployment', deployment, {
        environment: environment.id,
        undoes: undoneDeployment.id,
        restores: restored.id,
        reason: rollbackInput.reason,
      });
      await markRollingBack(tx, caller, undoneDeployment, deployment);
      await failpoint('deploy.rollback.written');
      return deployment;
    },
  }),
});
