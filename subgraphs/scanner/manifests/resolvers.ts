import type { Resolvers } from '../generated.ts';

export const policyResolvers = {
  Query: {
    scorePolicy: (_, _args, { caller, policies }) => policies.current(caller, {}),
    scorePolicies: (_, _args, { caller, policies }) => policies.list(caller, {}),
  },
  Mutation: {
    publishScorePolicy: (_, { input }, { caller, policies }) => policies.publish(caller, input),
  },
  ScorePolicy: {
    id: ({ policy }) => policy.id,
    version: ({ policy }) => policy.version,
    document: ({ policy }) => JSON.stringify(policy),
  },
} satisfies Resolvers;
