import type { Context } from '../context.ts';
import type { Resolvers } from '../generated.ts';
import type { Deployment } from '../running/deployments/deployment.ts';

const ofDeployment = (deployment: Deployment, { loaders }: Context) =>
  loaders.comparison.load({ from: { kind: 'before', deployment }, to: { kind: 'deployment', deployment } });

export const comparisonResolvers = {
  Query: {
    compareReleases: (_, args, { caller, orchestrator }) => orchestrator.comparisons.compare(caller, args),
  },
  Promotion: {
    comparison: async ({ id, releaseId, targetEnvironmentId: environmentId }, _, context) => {
      const { loaders } = context;
      const [deployment] = await loaders.newestDeploymentOfPromotion.load(id);
      if (deployment) return ofDeployment(deployment, context);
      const { productId } = await loaders.release.get(releaseId);
      return loaders.comparison.load({
        from: { kind: 'place', productId, environmentId },
        to: { kind: 'release', releaseId, environmentId },
      });
    },
  },
  Deployment: {
    comparison: (deployment, _, context) => ofDeployment(deployment, context),
  },
  ReleaseComparison: {
    components: ({ components }) => components.changes,
    unchangedComponents: ({ components }) => components.unchanged,
    variables: ({ variables }) => variables?.changes ?? null,
    unchangedVariables: ({ variables }) => variables?.unchanged ?? null,
    addedEvidence: ({ evidence }) => evidence.added,
    removedEvidence: ({ evidence }) => evidence.removed,
  },
  ComparedSide: {
    product: ({ productId }, _, { loaders }) => loaders.product.get(productId),
    environment: ({ environmentId }, _, { loaders }) =>
      environmentId === undefined ? null : loaders.environment.get(environmentId),
    variableSetVersion: ({ variableSet }) => variableSet?.version ?? null,
  },
} satisfies Resolvers;
