import type { Resolvers } from '../generated.ts';

/** REST path of an export's status. */
export const exportPathOf = ({ bundleId, id }: { readonly bundleId: string; readonly id: string }): string =>
  `/api/v1/bundles/${bundleId}/export/${id}`;

export const exportResolvers = {
  Mutation: {
    exportBundle: (_, { input }, { caller, exports }) => exports.request(caller, input),
  },
  EvidenceExport: {
    __resolveReference: (reference, { loaders }) => loaders.export(Reflect.get(reference, 'id')),
    statusPath: exportPathOf,
    requestedBy: ({ requestedBy }) => ({ __typename: 'User' as const, id: requestedBy }),
  },
} satisfies Resolvers;
