import { connectionOf } from '@landfall/kernel/operation/page';
import type { Resolvers } from '../../generated.ts';
import { userOf } from '../../shared/user-reference.ts';
import { canApprove, canCancel, canReject, canRequest } from './permissions.ts';

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
    viewerCanApprove: (promotion, _, context) => canApprove(promotion, context),
    viewerCanReject: (promotion, _, context) => canReject(promotion, context),
    viewerCanCancel: (promotion, _, context) => canCancel(promotion, context),
  },
  Approval: {
    actor: ({ actor }) => userOf(actor),
  },
  ReleaseInEnvironment: {
    viewerCanRequest: (here, _, context) => canRequest(here, context),
  },
};
