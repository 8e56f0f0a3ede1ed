import { connectionOf } from '@landfall/kernel/operation/page';
import type { Resolvers } from '../../generated.ts';
import { permission } from '../../shared/permission.ts';
import { userOf } from '../../shared/user-reference.ts';
import { approvalRefusal } from './approval-rule.ts';
import { loadPathStep } from './path-step.ts';
import { cancelRefusal, rejectRefusal } from './promotion-rules.ts';
import { requestRefusal } from './request-rule.ts';

export const promotionResolvers: Resolvers = {
  Query: {
    promotions: async (_, args, { caller, orchestrator }) =>
      connectionOf(await orchestrator.promotions.list(caller, args)),
    promotion: (_, args, { caller, orchestrator }) => orchestrator.promotions.get(caller, args),
    approvalInbox: async (_, args, { caller, orchestrator }) =>
      connectionOf(await orchestrator.promotions.inbox(caller, args)),
    today: (_, _args, { caller, orchestrator }) => orchestrator.promotions.today(caller, {}),
  },
  Mutation: {
    requestPromotion: (_, { input }, { caller, orchestrator }) => orchestrator.promotions.request(caller, input),
    approvePromotion: (_, { input }, { caller, orchestrator }) => orchestrator.promotions.approve(caller, input),
    rejectPromotion: (_, { input }, { caller, orchestrator }) => orchestrator.promotions.reject(caller, input),
    cancelPromotion: (_, { input }, { caller, orchestrator }) => orchestrator.promotions.cancel(caller, input),
  },
  Promotion: {
    __resolveReference: ({ id }, { loaders }) => loaders.promotion.load(id),
    release: ({ releaseId }, _, { loaders }) => loaders.release.get(releaseId),
    targetEnvironment: ({ targetEnvironmentId }, _, { loaders }) => loaders.environment.get(targetEnvironmentId),
    sourceEnvironment: ({ sourceEnvironmentId }, _, { loaders }) =>
      sourceEnvironmentId && loaders.environment.get(sourceEnvironmentId),
    requestedBy: ({ requestedBy }) => userOf(requestedBy),
    viewerCanApprove: (promotion, _, { caller, loaders, orchestrator }) =>
      permission(caller, orchestrator.promotions.approve.spec, async () =>
        approvalRefusal({
          promotion,
          approver: await loaders.approver.load(promotion.id),
          ...(await loadPathStep(promotion, loaders)),
        }),
      ),
    viewerCanReject: (promotion, _, { caller, orchestrator }) =>
      permission(caller, orchestrator.promotions.reject.spec, () => rejectRefusal(promotion)),
    viewerCanCancel: (promotion, _, { caller, orchestrator }) =>
      permission(caller, orchestrator.promotions.cancel.spec, () => cancelRefusal(promotion)),
  },
  Approval: {
    actor: ({ actor }) => userOf(actor),
  },
  ProductInEnvironment: {
    promotions: (parent, _, { loaders }) => loaders.promotionsUnderWay.load(parent),
  },
  ReleaseInEnvironment: {
    // Without the policy of the step: clients cache an environment by its id, for every product.
    environment: ({ environmentId }, _, { loaders }) => loaders.environment.get(environmentId),
    viewerCanRequest: ({ asked: request }, _, { caller, orchestrator }) =>
      permission(caller, orchestrator.promotions.request.spec, () => requestRefusal(request)),
  },
};
