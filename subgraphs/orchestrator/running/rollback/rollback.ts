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

interface Asked {
  readonly environmentId: Id<'Environment'>;
  readonly productId?: Id<'Product'>;
  readonly toDeploymentId?: Id<'Deployment'>;
}

/** Finds the deployments that a rollback undoes and restores; throws the Fault that refuses it. */
const found = async (query: Query, who: Who, asked: Asked) => {
  const { environmentId, toDeploymentId: wanted } = asked;
  await environments.get(query, who.tenant, environmentId);
  const back = wanted === undefined ? undefined : await deployments.get(query, who.tenant, wanted);
  const deployed = await deployments.listProductsByEnvironments(query, who.tenant, [environmentId]);
  const named = asked.productId ?? back?.productId;
  if (named === undefined) refuse(productRefusal(deployed));
  const productId = named ?? deployed[0]?.productId;
  const places = productId === undefined ? [] : [{ productId, environmentId }];
  const [newest] = await deployments.listNewestIn(query, who.tenant, places);
  const verified = await deployments.listVerifiedIn(query, who.tenant, places);
  const releaseIds = verified.map(({ releaseId }) => releaseId);
  const known = await releases.listByIds(query, who.tenant, releaseIds);
  const rollback = rollbackOf({ environmentId, newest, verified, holds: holdReasons(known), wanted });
  if (rollback instanceof Fault) throw rollback;
  const release = known.find(({ id }) => id === rollback.restored.releaseId);
  const entry = release && (await products.findPathEntry(query, who.tenant, release.productId, environmentId));
  if (!entry) throw new TypeError(`deployment ${rollback.restored.id} has lost its release or environment`);
  return { ...rollback, ...entry, release };
};

/** Locks what a rollback changes, in the common order: release, promotions, deployment. */
const lockAll = async (tx: Tx, who: Who, { undone, restored }: Rollback<deployments.Deployment>): Promise<void> => {
  await releases.getLocked(tx, who.tenant, restored.releaseId);
  for (const id of [...new Set([undone.promotionId, restored.promotionId])].toSorted())
    await promotions.getLocked(tx, who.tenant, id);
  await deployments.findLocked(tx, who.tenant, undone.id);
};

/** Refuses a rollback if its deployments changed since preflight. */
const refuseChanged = (seen: Rollback, now: Rollback): void => {
  if (seen.undone.id === now.undone.id && seen.restored.id === now.restored.id) return;
  throw new Fault('RES_VERSION_CONFLICT', 'The deployed release changed since you opened the page. Reload.', {
    expected: seen.undone.id,
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
    async prepare(who, asked) {
      const seen = await preflight.read(who, (query) => found(query, who, asked));
      const { release, environment, restored } = seen;
      const { variableSetVersion } = restored;
      const report = await preflight.check(who, release.id, environment.id, { kind: 'rollback', variableSetVersion });
      return { seen, report };
    },
    async run(who, asked, tx, { seen, report }) {
      await lockAll(tx, who, seen);
      const now = await found(tx, who, asked);
      refuseChanged(seen, now);
      const { environment, release, undone, restored } = now;
      refuse(missingImagesRefusal(report, now));
      const enabled = await launching.reach(tx, who, { ...now, kind: 'rollback' }, report);
      const deployment = await insertDeployment(
        tx,
        who,
        {
          id: launching.newId(),
          promotionId: restored.promotionId,
          releaseId: release.id,
          productId: release.productId,
          environmentId: environment.id,
          kind: 'rollback',
          plan: planDeployment(environment, enabled, { strategy: 'all_at_once' }),
          launchedBy: who.subject,
          timeoutSeconds: environment.deployTimeoutSeconds,
          reason: asked.reason,
          variableSetVersion: restored.variableSetVersion,
          previousDeploymentId: undone.id,
        },
        enabled,
      );
      const detail = `back to ${release.name} ${release.semver}`;
      await deploymentTargets.insertStepForAll(tx, who.tenant, deployment.id, 'rollback', 'requested', detail);
      await publishEvent(tx, who, 'deployment.rollback', 'Deployment', deployment, {
        environment: environment.id,
        undoes: undone.id,
        restores: restored.id,
        reason: asked.reason,
      });
      await markRollingBack(tx, who, undone, deployment);
      await failpoint('deploy.rollback.written');
      return deployment;
    },
  }),
});
