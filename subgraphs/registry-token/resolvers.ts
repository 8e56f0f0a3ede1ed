import { connectionOf } from '@landfall/kernel/operation/page';
import type { Resolvers } from './generated.ts';

export const resolvers: Resolvers = {
  Query: {
    registryPlans: (_, _args, { caller, access }) => access.plans(caller, {}),
    registryTokens: async (_, filter, { caller, tokens }) => connectionOf(await tokens.list(caller, filter)),
    simulateRegistryAccess: (_, { input }, { caller, access }) => access.simulate(caller, input),
    registrySigning: (_, _args, { caller, signing }) => signing.read(caller, {}),
  },
  RegistryToken: {
    by: ({ subject }) => ({ id: subject }),
  },
};
