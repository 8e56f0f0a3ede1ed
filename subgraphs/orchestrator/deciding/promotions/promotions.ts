import { exampleId, idOf, toId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { freeText, oneOf } from '@landfall/kernel/operation/input';
import { pageFields, pageOf } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import { promotionStates } from '../../shared/enums.ts';
import { refuse } from '../../shared/permission.ts';
import { pageBefore, readsById } from '../../shared/read-operations.ts';
import { operates, reads } from '../../shared/scopes.ts';
import { createDecisions } from './decisions.ts';
import { createInbox } from './inbox.ts';
import type { ApprovalStatements, DeploymentHistory } from './ports.ts';
import * as store from './promotions.store.ts';
import { insertRequest, readRequest } from './request.ts';
import { requestRefusal } from './request-rule.ts';

const filter = Type.Object({
  releaseId: Type.Optional(idOf('Release')),
  environmentId: Type.Optional(idOf('Environment')),
  state: Type.Optional(oneOf(...promotionStates)),
});

/** Creates the operations on promotions, which request that a release enters an environment. */
export const createPromotions = (deps: Deps, statements: ApprovalStatements, history: DeploymentHistory) => {
  const { operation, ids } = deps;

  return {
    list: operation({
      name: 'promotion.list',
      kind: 'read',
      scope: reads,
      input: Type.Object({ ...pageFields, filter: Type.Optional(filter) }),
      example: { first: 10 },
      async run(caller, { first = 50, after, filter: requested = {} }, query) {
        return pageOf(await store.list(query, caller.tenant, requested, pageBefore(first, after)), first);
      },
    }),

    get: operation({
      name: 'promotion.get',
      ...readsById('Promotion', 'RES_PROMOTION_NOT_FOUND'),
      scope: reads,
      run: (caller, { id }, query) => store.get(query, caller.tenant, id),
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
      async run(caller, { releaseId, targetEnvironmentId, reason }, tx) {
        const request = await readRequest(tx, caller, history, releaseId, targetEnvironmentId);
        refuse(requestRefusal(request));
        return insertRequest(tx, caller, toId(ids.uuid(), 'Promotion'), request, reason);
      },
    }),

    ...createDecisions(deps, statements, history),
    ...createInbox(deps),
  };
};
