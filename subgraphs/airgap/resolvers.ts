import type { Resolvers } from './generated.ts';

export const resolvers: Resolvers = {
  Query: {
    airgap: (_, _args, { caller, status }) => status(caller, {}),
  },
  AirGap: {
    id: ({ tenant }) => tenant,
    changedBy: ({ changedBy }) => (changedBy === null ? null : { id: changedBy }),
  },
};
