import { findBySubject } from '@landfall/attestation/statements/attestations.store';
import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, type Id, idOf } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import { oneOf } from '@landfall/kernel/operation/input';
import { decodeCursor, type Page, pageFields, pageOf } from '@landfall/kernel/operation/page';
import { failpoint } from '@landfall/kernel/system/failpoint';
import Type from 'typebox';
import * as environments from '../catalogue/environments/environment.ts';
import * as products from '../catalogue/products/product.ts';
import * as releases from '../catalogue/releases/release.ts';
import * as targetsStore from '../catalogue/targets/target.ts';
import * as promotions from '../deciding/promotions/promotion.ts';
import { readsById } from '../shared/read-operations.ts';
import { operates, readsReleases } from '../shared/scopes.ts';
import * as deployments from './deployments/deployment.ts';
import * as deploymentPhases from './deployments/deployment-phase.ts';
import * as deploymentTargets from './deployments/deployment-target.ts';
import type { DeployingDeps } from './launch/launch.ts';
import { LAUNCH_RAISES } from './launch/launch-rule.ts';
import type { Plan } from './plan/plan.ts';
import { planDeployment, type StrategyRequest, strategyRequest } from './plan/plan-request.ts';

const DEFAULT_PAGE = 50;

/** Response when the number of targets cannot be known (spec 2.10). */
interface CannotPreview {
  readonly cannotPreview: true;
  readonly reason: string;
}

const PLAN_RAISES = ['RES_RELEASE_NOT_FOUND', 'RES_ENVIRONMENT_NOT_FOUND', 'VAL_INVALID_VALUE'] as const;

interface PlanRequest extends StrategyRequest {
  readonly releaseId: Id<'Release'>;
  readonly environmentId: Id<'Environment'>;
}

const planFor = async (query: Query, caller: Who, request: PlanRequest): Promise<Plan> => {
  const release = await releases.get(query, caller.tenant, request.releaseId);
  const entry = await products.findPathEntry(query, caller.tenant, release.productId, request.environmentId);
  if (!entry) throw environments.notFound(request.environmentId);
  const { environment, step } = entry;
  const reach = targetsStore.reachOf(release, step, 'deploy');
  return planDeployment(
    environment,
    await targetsStore.listReached(query, caller.tenant, environment.id, reach),
    request,
  );
};

export const createDeployments = ({ operation, preflight, launching }: DeployingDeps) => {
  const launch = operation({
    name: 'deployment.launch',
    cost: 500,
    isRemote: true,
    kind: 'write',
    scope: operates,
    input: Type.Object({
      promotionId: idOf('Promotion'),
      ...strategyRequest.properties,
      acknowledgeUnknown: Type.Optional(
        Type.Array(oneOf('digest-pinned', 'image-resolvable', 'target-ready', 'secret-resolvable'), { maxItems: 4 }),
      ),
      acknowledgeOutcomes: Type.Optional(Type.Array(idOf('Deployment'), { maxItems: 200 })),
    }),
    raises: ['RES_PROMOTION_NOT_FOUND', 'PROM_INVALID_STATE', ...LAUNCH_RAISES],
    example: { promotionId: exampleId('Promotion') },
    async prepare(caller, { promotionId }) {
      const promotion = await preflight.read(caller, (query) => promotions.get(query, caller.tenant, promotionId));
      return preflight.check(caller, promotion.releaseId, promotion.targetEnvironmentId);
    },
    async run(caller, { promotionId, acknowledgeUnknown = [], acknowledgeOutcomes = [], ...requested }, tx, report) {
      const deployment = await launching.launch(tx, caller, {
        promotion: await promotions.lockPromotion(tx, caller, promotionId),
        report,
        plan: (environment, enabled) => planDeployment(environment, enabled, requested),
        acknowledged: acknowledgeUnknown,
        acknowledgedOutcomes: acknowledgeOutcomes,
      });
      await failpoint('deploy.launch.written');
      return deployment;
    },
  });

  return {
    launch,

    get: operation({
      name: 'deployment.get',
      ...readsById('Deployment', 'RES_NOT_FOUND'),
      scope: readsReleases,
      async run(caller, { id }, query) {
        const deployment = await deployments.get(query, caller.tenant, id);
        const phases = await deploymentPhases.listByDeployments(query, caller.tenant, [id]);
        const targets = await deploymentTargets.listByDeployments(query, caller.tenant, [id]);
        const attestation =
          deployment.landing === 'verified' ? await findBySubject(query, caller.tenant, 'deployment', id) : undefined;
        const attestationRef = attestation?.attestedAt ? attestation.id : null;
        return { ...deployment, phases, targets, attestationRef };
      },
    }),

    list: operation({
      name: 'deployment.list',
      kind: 'read',
      scope: readsReleases,
      input: Type.Object({
        ...pageFields,
        filter: Type.Optional(
          Type.Object({
            productId: Type.Optional(idOf('Product')),
            releaseId: Type.Optional(idOf('Release')),
            environmentId: Type.Optional(idOf('Environment')),
            status: Type.Optional(oneOf(...deployments.states)),
          }),
        ),
      }),
      async run(caller, { first = DEFAULT_PAGE, after, filter = {} }, query): Promise<Page<deployments.Deployment>> {
        const before = after === undefined ? undefined : decodeCursor(after);
        return pageOf(await deployments.list(query, caller.tenant, filter, first + 1, before), first);
      },
    }),

    preflight: operation({
      name: 'release.preflight',
      isRemote: true,
      cost: 500,
      kind: 'read',
      scope: readsReleases,
      input: Type.Object({ releaseId: idOf('Release'), environmentId: Type.Optional(idOf('Environment')) }),
      raises: ['RES_RELEASE_NOT_FOUND', 'RES_ENVIRONMENT_NOT_FOUND'],
      example: { releaseId: exampleId('Release'), environmentId: exampleId('Environment') },
      isDetached: true,
      run: (caller, { releaseId, environmentId }) => preflight.check(caller, releaseId, environmentId),
    }),

    plan: operation({
      name: 'release.plan',
      cost: 100,
      kind: 'read',
      scope: readsReleases,
      input: Type.Object({
        releaseId: idOf('Release'),
        environmentId: idOf('Environment'),
        ...strategyRequest.properties,
      }),
      raises: PLAN_RAISES,
      example: { releaseId: exampleId('Release'), environmentId: exampleId('Environment'), strategy: 'all_at_once' },
      run: (caller, input, query) => planFor(query, caller, input),
    }),

    /** Previews a plan for REST; without an environment the targets cannot be counted. */
    previewPlan: operation({
      name: 'release.previewPlan',
      cost: 100,
      kind: 'read',
      scope: readsReleases,
      input: Type.Object({
        releaseId: idOf('Release'),
        environmentId: Type.Optional(idOf('Environment')),
        strategy: strategyRequest.properties.strategy,
      }),
      raises: [...PLAN_RAISES, 'VAL_REQUIRED_FIELD'],
      example: { releaseId: exampleId('Release'), environmentId: exampleId('Environment'), strategy: 'all_at_once' },
      async run(caller, { environmentId, ...input }, query): Promise<Plan | CannotPreview> {
        if (environmentId !== undefined) return planFor(query, caller, { ...input, environmentId });
        if (input.strategy === undefined)
          throw new Fault('VAL_REQUIRED_FIELD', 'Name a strategy, or an environment that has one.', undefined, [
            { field: 'strategy', message: 'is required without an environment', code: 'VAL_REQUIRED_FIELD' },
          ]);
        await releases.get(query, caller.tenant, input.releaseId);
        return { cannotPreview: true, reason: 'Without an environment the number of targets is not known.' };
      },
    }),
  };
};
