import { holdersOf, type Who } from '@landfall/kernel/core/caller';
import { exampleId, idOf, toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { freeText, oneOf } from '@landfall/kernel/operation/input';
import { pageFields, pageOf } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import * as environments from '../../catalogue/environments/environment.ts';
import * as products from '../../catalogue/products/product.ts';
import * as releases from '../../catalogue/releases/release.ts';
import { promotionStates } from '../../shared/enums.ts';
import { refuse } from '../../shared/permission.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { pageBefore, readsById } from '../../shared/read-operations.ts';
import { operates, reads } from '../../shared/scopes.ts';
import { createDecisions } from './decisions.ts';
import { createInbox } from './inbox.ts';
import type { ApprovalStatements, DeploymentHistory } from './ports.ts';
import * as store from './promotions.store.ts';
import { requestRefusal } from './request-rule.ts';

const filter = Type.Object({
  releaseId: Type.Optional(idOf('Release')),
  environmentId: Type.Optional(idOf('Environment')),
  state: Type.Optional(oneOf(...promotionStates)),
});

/** Environment that a promotion comes from: the last one before its step. */
const sourceOf = ({
  stages,
  step,
}: {
  readonly stages: readonly products.Stage[];
  readonly step: products.Stage['step'] | undefined;
}) => stages.findLast(({ environment }) => step?.after.includes(environment.id))?.environment.id ?? null;

/** Creates the operations on promotions, which request that a release enters an environment. */
export const createPromotions = (deps: Deps, statements: ApprovalStatements, history: DeploymentHistory) => {
  const { operation, ids } = deps;

  /** Reads what decides whether a promotion may be requested. Locks the release, so that it stays true. */
  const caseOf = async (tx: Tx, who: Who, releaseId: releases.ReleaseId, environmentId: environments.EnvironmentId) => {
    const release = await releases.getLocked(tx, who.tenant, releaseId);
    const stages = await products.listStagesOf(tx, who.tenant, release.productId);
    const stage = stages.find((each) => each.environment.id === environmentId);
    const environment = stage?.environment ?? (await environments.get(tx, who.tenant, environmentId));
    const promotions = await store.listByReleases(tx, who.tenant, [releaseId]);
    const landings = await history.listLanded(tx, who.tenant, [releaseId]);
    const landed = landings.map((landing) => landing.environmentId);
    return { release, environment, stages, step: stage?.step, promotions, landed };
  };

  return {
    list: operation({
      name: 'promotion.list',
      kind: 'read',
      scope: reads,
      input: Type.Object({ ...pageFields, filter: Type.Optional(filter) }),
      example: { first: 10 },
      async run(who, { first = 50, after, filter: wanted = {} }, query) {
        return pageOf(await store.list(query, who.tenant, wanted, pageBefore(first, after)), first);
      },
    }),

    get: operation({
      name: 'promotion.get',
      ...readsById('Promotion', 'RES_PROMOTION_NOT_FOUND'),
      scope: reads,
      run: (who, { id }, query) => store.get(query, who.tenant, id),
    }),

    request: operation({
      name: 'promotion.request',
      kind: 'write',
      scope: operates,
      input: Type.Object({
        releaseId: idOf('Release'),
        targetEnvironmentId: idOf('Environment'),
        reason: freeText(2000),
      }),
      raises: [
        'RES_RELEASE_NOT_FOUND',
        'RES_ENVIRONMENT_NOT_FOUND',
        'REL_DEPRECATED',
        'REL_NOT_READY',
        'PROM_ALREADY_EXISTS',
        'PROM_SKIP_ENVIRONMENT',
      ],
      example: { releaseId: exampleId('Release'), targetEnvironmentId: exampleId('Environment'), reason: 'Ship it.' },
      async run(who, { releaseId, targetEnvironmentId, reason }, tx) {
        const asked = await caseOf(tx, who, releaseId, targetEnvironmentId);
        refuse(requestRefusal(asked));
        const { gatedDigestSet } = asked.release;
        if (gatedDigestSet === null) throw new TypeError(`release ${releaseId} is ready without a digest set`);
        const approvalsNeeded = asked.environment.requiredApprovals;
        const promotion = await store.insert(tx, who.tenant, {
          id: toId(ids.uuid(), 'Promotion'),
          releaseId,
          targetEnvironmentId,
          sourceEnvironmentId: sourceOf(asked),
          state: approvalsNeeded === 0 ? 'approved' : 'pending',
          reason,
          requestedBy: who.subject,
          requestedThrough: holdersOf(who),
          approvalsNeeded,
          gatedDigestSet,
          retryOfId: null,
        });
        await publishEvent(tx, who, 'promotion.request', 'Promotion', promotion, {
          releaseId,
          environmentId: targetEnvironmentId,
          reason,
          state: promotion.state,
          gatedDigestSet,
        });
        return promotion;
      },
    }),

    ...createDecisions(deps, statements, history),
    ...createInbox(deps),
  };
};
