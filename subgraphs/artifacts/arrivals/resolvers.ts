import { connectionOf } from '@landfall/kernel/operation/page';
import type { Resolvers } from '../generated.ts';

export const arrivalResolvers = {
  Query: {
    evidenceArrivalFailures: async (_, args, { caller, arrivals }) =>
      connectionOf(await arrivals.failures(caller, args)),
  },
  EvidenceArrivalFailure: { entityId: ({ entityId }) => entityId.split(' ')[0] ?? entityId },
} satisfies Resolvers;
