import type { Context } from '../context.ts';
import type { Resolvers } from '../generated.ts';
import type { Deployment } from '../running/deployments/deployment.ts';
import { versionOf } from './compared-component.ts';

const ofDeployment = (deployment: Deployment, { loaders }: Context) =>
  loaders.comparison.load({ from: { kind: 'before', deployment }, to: { kind: 'deployment', deployment } });

export const comparisonResolvers = {
  Query: {
    compareReleases: (_, args, { caller, orchestrator }) => orchestrator.comparisons.compare(caller, args),
    releaseCommits: (_, args, { caller, orchestrator }) => orchestrator.comparisons.commits(caller, args),
    ticketRules: (_, args, { caller, orchestrator }) => orchestrator.ticketRules.get(caller, args),
  },
  Mutation: {
    saveTicketRules: (_, { input }, { caller, orchestrator }) => orchestrator.ticketRules.save(caller, input),
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
  ComponentChange: {
    compareUrl: ({ range }) => (typeof range === 'object' ? range.url : null),
  },
  ComparedComponent: {
    version: versionOf,
    source: ({ code }) => code,
  },
  RepositoryCommits: {
    repository: ({ range }) => range?.repository.key ?? null,
    from: ({ range }) => range?.from ?? null,
    to: ({ range }) => range?.to ?? null,
    compareUrl: ({ range }) => range?.url ?? null,
  },
  TicketRules: {
    product: ({ productId }, _, { loaders }) => productId && loaders.product.get(productId),
  },
  ComparedSide: {
    product: ({ productId }, _, { loaders }) => loaders.product.get(productId),
    environment: ({ environmentId }, _, { loaders }) =>
      environmentId === undefined ? null : loaders.environment.get(environmentId),
    variableSetVersion: ({ variableSet }) => variableSet?.version ?? null,
  },
} satisfies Resolvers;
