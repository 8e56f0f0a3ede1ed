import type { Resolvers } from '../../generated.ts';
import { listLabels } from '../../shared/labels.ts';
import { permission } from '../../shared/permission.ts';
import { disableRefusal, removeRefusal } from './target-rules.ts';

export const targetResolvers: Resolvers = {
  Query: {
    targets: (_, args, { caller, orchestrator }) => orchestrator.targets.list(caller, args),
    target: (_, args, { caller, orchestrator }) => orchestrator.targets.get(caller, args),
  },
  Mutation: {
    createTarget: (_, { input }, { caller, orchestrator }) => orchestrator.targets.create(caller, input),
    assignAgent: (_, { input }, { caller, orchestrator }) => orchestrator.targets.assignAgent(caller, input),
    updateTarget: (_, { input }, { caller, orchestrator }) => orchestrator.targets.update(caller, input),
    disableTarget: (_, { input }, { caller, orchestrator }) => orchestrator.targets.disable(caller, input),
    enableTarget: (_, { input }, { caller, orchestrator }) => orchestrator.targets.enable(caller, input),
    removeTarget: (_, { input }, { caller, orchestrator }) => orchestrator.targets.remove(caller, input),
    refreshTarget: (_, { input }, { caller, orchestrator }) => orchestrator.targets.refresh(caller, input),
  },
  Target: {
    __resolveReference: ({ id }, { loaders }) => loaders.target.load(id),
    environment: ({ environmentId }, _, { loaders }) => loaders.environment.get(environmentId),
    product: ({ productId }, _, { loaders }) => productId && loaders.product.get(productId),
    labels: ({ labels }) => listLabels(labels),
    health: ({ healthState: state, healthCheckedAt: checkedAt, healthDetail: detail }) => ({
      state,
      checkedAt,
      detail,
    }),
    viewerCanDisable: (target, _, { caller, loaders, orchestrator }) =>
      permission(caller, orchestrator.targets.disable.spec, async () =>
        disableRefusal(target, (await loaders.usesOfTarget.load(target.id))[0]),
      ),
    viewerCanRemove: ({ id }, _, { caller, loaders, orchestrator }) =>
      permission(caller, orchestrator.targets.remove.spec, async () =>
        removeRefusal((await loaders.usesOfTarget.load(id))[0]),
      ),
  },
};
