import type { Resolvers } from '../../generated.ts';
import { listLabels } from '../../shared/labels.ts';
import { permission } from '../../shared/permission.ts';
import { directEdges } from './path.ts';
import { removedRefusal, removeRefusal } from './product-rules.ts';

export const productResolvers = {
  Query: {
    products: (_, args, { caller, orchestrator }) => orchestrator.products.list(caller, args),
    product: (_, args, { caller, orchestrator }) => orchestrator.products.get(caller, args),
  },
  Mutation: {
    createProduct: (_, { input }, { caller, orchestrator }) => orchestrator.products.create(caller, input),
    updateProduct: (_, { input }, { caller, orchestrator }) => orchestrator.products.update(caller, input),
    setProductPath: (_, { input }, { caller, orchestrator }) => orchestrator.products.setPath(caller, input),
    removeProduct: (_, { input }, { caller, orchestrator }) => orchestrator.products.remove(caller, input),
  },
  Product: {
    __resolveReference: ({ id }, { loaders }) => loaders.product.load(id),
    labels: ({ labels }) => listLabels(labels),
    path: async ({ id }, _, { loaders }) => {
      const { entries } = await loaders.pathOfProduct.load(id);
      const edges = directEdges(entries.map(({ step }) => step));
      return entries.map((entry) => ({ ...entry, directlyAfter: edges.get(entry.environment.id) ?? [] }));
    },
    environments: async ({ id: productId }, _, { loaders }) =>
      (await loaders.pathOfProduct.load(productId)).entries.map(({ environment }) => ({
        productId,
        environmentId: environment.id,
      })),
    targets: ({ id }, _, { loaders }) => loaders.targetsOfProduct.load(id),
    viewerCanUpdate: (product, _, { caller, orchestrator }) =>
      permission(caller, orchestrator.products.update.spec, () => removedRefusal(product)),
    viewerCanRemove: (product, _, { caller, loaders, orchestrator }) =>
      permission(
        caller,
        orchestrator.products.remove.spec,
        async () =>
          removedRefusal(product) ??
          removeRefusal(
            product,
            (await loaders.targetsOfProduct.load(product.id)).map(({ id, name }) => ({ targetId: id, name })),
          ),
      ),
  },
  PathStep: {
    environment: ({ step }, _, { loaders }) => loaders.environment.get(step.environmentId),
    requiredApprovals: ({ environment }) => environment.requiredApprovals,
    separationOfDuties: ({ environment }) => environment.separationOfDuties,
    requiredEvidence: ({ environment }) => environment.requiredEvidence,
    after: ({ step }, _, { loaders }) => Promise.all(step.after.map((id) => loaders.environment.get(id))),
    directlyAfter: ({ directlyAfter }, _, { loaders }) =>
      Promise.all(directlyAfter.map((id) => loaders.environment.get(id))),
    need: ({ step }) => step.need,
    targetLabels: ({ step }) => listLabels(step.targetLabels),
    policy: ({ step: { policy } }) => ({ ...policy, relaxes: policy.relaxes ?? false }),
  },
  ProductInEnvironment: {
    product: ({ productId }, _, { loaders }) => loaders.product.get(productId),
    environment: ({ environmentId }, _, { loaders }) => loaders.environment.get(environmentId),
  },
} satisfies Resolvers;
