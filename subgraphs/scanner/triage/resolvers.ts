import { connectionOf } from '@landfall/kernel/operation/page';
import type { Resolvers } from '../generated.ts';
import { isSuppressing } from './decision.ts';
import { permissionOf } from './permission.ts';

export const triageResolvers = {
  Query: {
    triageDecision: (_, args, { caller, triage }) => triage.get(caller, args),
    triageDecisions: async (_, args, { caller, triage }) => connectionOf(await triage.list(caller, args)),
  },
  Mutation: {
    decideFinding: (_, { input }, { caller, triage }) => triage.decide(caller, input),
    revokeTriageDecision: (_, { input }, { caller, triage }) => triage.revoke(caller, input),
  },
  TriageDecision: {
    component: ({ componentKey }) => componentKey,
    product: ({ productId }) => productId && { id: productId },
    decidedBy: ({ decidedBy }) => ({ id: decidedBy }),
    revokedBy: ({ revokedBy }) => (revokedBy === null ? null : { id: revokedBy }),
    suppresses: ({ status }) => isSuppressing(status),
    viewerCanRevoke: (_, _args, { caller, triage }) => permissionOf(caller, triage.revoke.spec),
  },
  Scan: {
    openVex: async ({ id }, _, { caller, triage }) => (await triage.exportVex(caller, { scanId: id })) ?? null,
  },
  ScanFinding: {
    decision: async (finding, _, { loaders }) => (await loaders.decisionOfFinding(finding)) ?? null,
    isSuppressed: async (finding, _, { loaders }) => {
      const decision = await loaders.decisionOfFinding(finding);
      return decision !== undefined && isSuppressing(decision.status);
    },
    viewerCanTriage: (_, _args, { caller, triage }) => permissionOf(caller, triage.decide.spec),
  },
} satisfies Resolvers;
