import { connectionOf } from '@landfall/kernel/operation/page';
import type { Resolvers } from '../../generated.ts';
import { permission } from '../../shared/permission.ts';
import { userOf } from '../../shared/user-reference.ts';
import { missingEvidence } from './missing-evidence.ts';
import { finalizeRefusal, readyRefusal } from './release-rules.ts';

export const releaseResolvers: Resolvers = {
  Query: {
    releases: async (_, args, { caller, orchestrator }) => connectionOf(await orchestrator.releases.list(caller, args)),
    release: (_, args, { caller, orchestrator }) => orchestrator.releases.get(caller, args),
  },
  Mutation: {
    createRelease: (_, { input }, { caller, orchestrator }) => orchestrator.releases.create(caller, input),
    addReleaseComponent: (_, { input }, { caller, orchestrator }) => orchestrator.releases.addComponent(caller, input),
    updateReleaseComponent: (_, { input }, { caller, orchestrator }) =>
      orchestrator.releases.updateComponent(caller, input),
    removeReleaseComponent: (_, { input }, { caller, orchestrator }) =>
      orchestrator.releases.removeComponent(caller, input),
    finalizeRelease: (_, { input }, { caller, orchestrator }) => orchestrator.releases.finalize(caller, input),
    markReleaseReady: (_, { input }, { caller, orchestrator }) => orchestrator.releases.markReady(caller, input),
    holdRelease: (_, { input }, { caller, orchestrator }) => orchestrator.releases.hold(caller, input),
    clearReleaseHold: (_, { input }, { caller, orchestrator }) => orchestrator.releases.clearHold(caller, input),
    deprecateRelease: (_, { input }, { caller, orchestrator }) => orchestrator.releases.deprecate(caller, input),
    recordEvidence: (_, { input }, { caller, orchestrator }) => orchestrator.releases.recordEvidence(caller, input),
  },
  Release: {
    __resolveReference: ({ id }, { loaders }) => loaders.release.load(id),
    createdBy: ({ createdBy }) => userOf(createdBy),
    history: async ({ id }, _, { loaders }) =>
      (await loaders.historyOfRelease.load(id)).map(({ type, actor, at }) => ({ type, actor: userOf(actor), at })),
    missingEvidence: async (release, _, { loaders }) =>
      missingEvidence(release, (await loaders.pathOfProduct.load(release.productId)).entries),
    product: ({ productId }, _, { loaders }) => loaders.product.get(productId),
    promotions: ({ id }, _, { loaders }) => loaders.promotionsOfRelease.load(id),
    landscape: ({ id }, _, { loaders }) => loaders.landscape.load(id),
    viewerCanFinalize: (release, _, { caller, loaders, orchestrator }) =>
      permission(caller, orchestrator.releases.finalize.spec, async () =>
        finalizeRefusal(release, await loaders.product.load(release.productId)),
      ),
    viewerCanMarkReady: (release, _, { caller, loaders, orchestrator }) =>
      permission(caller, orchestrator.releases.markReady.spec, async () =>
        readyRefusal(release, missingEvidence(release, (await loaders.pathOfProduct.load(release.productId)).entries)),
      ),
  },
  ReleaseHold: {
    actor: ({ actor }) => userOf(actor),
  },
};
