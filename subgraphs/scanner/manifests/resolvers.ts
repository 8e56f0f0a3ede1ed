import type { Resolvers } from '../generated.ts';

export const policyResolvers = {
  Query: {
    scorePolicy: (_, _args, { caller, policies }) => policies.current(caller, {}),
  },
  Mutation: {
    publishScorePolicy: (_, { input }, { caller, policies }) => policies.publish(caller, input),
  },
  ScorePolicy: {
    document: (policy) => JSON.stringify(policy),
  },
} satisfies Resolvers;
