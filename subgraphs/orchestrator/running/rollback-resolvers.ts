import type { Resolvers } from '../generated.ts';
import {
  canRetry,
  canRollBack,
  canRollBackEnvironment,
  readLatestRollbackFacts,
  readRollbackFacts,
} from './permissions.ts';
import { rollbackChoices, rollbackRefusal, undoRefusal } from './rollback/rollback-rule.ts';

/** Resolvers of rollback and retry. */
export const rollbackResolvers = {
  Mutation: {
    rollbackEnvironment: (_, { input }, { caller, orchestrator }) => orchestrator.deployments.rollback(caller, input),
    retryDeployment: (_, { input }, { caller, orchestrator }) => orchestrator.deployments.retry(caller, input),
  },
  Environment: {
    rollbackChoices: async ({ id }, _, context) => rollbackChoices(await readLatestRollbackFacts(id, context)),
    viewerCanRollback: ({ id }, _, context) => canRollBackEnvironment(id, context),
  },
  ProductInEnvironment: {
    rollbackChoices: async (parent, _, context) => rollbackChoices(await readRollbackFacts(parent, context)),
    viewerCanRollback: (parent, _, context) => canRollBack(parent, context, rollbackRefusal),
  },
  Deployment: {
    viewerCanRetry: (deployment, _, context) => canRetry(deployment, context),
    viewerCanRollback: (deployment, _, context) =>
      canRollBack(deployment, context, (ruleCase) => undoRefusal(deployment, ruleCase)),
  },
} satisfies Resolvers;
