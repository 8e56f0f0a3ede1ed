import { connectionOf } from '@landfall/kernel/page';
import { isGrant } from './clients/grants.ts';
import type { Resolvers } from './generated.ts';

export const resolvers: Resolvers = {
  Query: {
    me: (_, _args, { caller, users }) => users.me(caller, {}),
    users: async (_, page, { caller, users }) => connectionOf(await users.list(caller, page)),
    clients: async (_, page, { caller, clients }) => connectionOf(await clients.list(caller, page)),
  },
  Mutation: {
    createUser: (_, { input }, { caller, users }) => users.create(caller, input),
    deactivateUser: (_, { input }, { caller, users }) => users.deactivate(caller, input),
    createClient: (_, { input }, { caller, clients }) => clients.create(caller, input),
    rotateClientSecret: (_, { input }, { caller, clients }) => clients.rotateSecret(caller, input),
  },
  User: {
    __resolveReference: ({ id }, { loaders }) => loaders.user.load(id),
  },
  Client: {
    __resolveReference: ({ id }, { loaders }) => loaders.client.load(id),
    grants: ({ grants }) => grants.filter(isGrant),
  },
};
