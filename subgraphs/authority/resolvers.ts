import { connectionOf } from '@landfall/kernel/operation/page';
import { trailConnectionOf } from './audit/audit.ts';
import type { Resolvers } from './generated.ts';

export const resolvers: Resolvers = {
  Query: {
    me: (_, _args, { caller, users }) => users.me(caller, {}),
    users: async (_, page, { caller, users }) => connectionOf(await users.list(caller, page)),
    user: (_, { id }, { caller, users }) => users.find(caller, { id }),
    clients: async (_, page, { caller, clients }) => connectionOf(await clients.list(caller, page)),
    client: (_, { id }, { caller, clients }) => clients.find(caller, { id }),
    groups: async (_, page, { caller, groups }) => connectionOf(await groups.list(caller, page)),
    sessions: async (_, page, { caller, sessions }) => connectionOf(await sessions.list(caller, page)),
    tokenFamilies: async (_, page, { caller, families }) => connectionOf(await families.list(caller, page)),
    signingKeys: (_, _args, { caller, signingKeys }) => signingKeys.list(caller, {}),
    identityProviders: (_, _args, { caller, identityProviders }) => identityProviders.list(caller, {}),
    auditTrail: async (_, page, { caller, audit }) => trailConnectionOf(await audit.list(caller, page)),
    savedViews: (_, _args, { caller, views }) => views.list(caller, {}),
    accessVocabulary: (_, _args, { caller, vocabulary }) => vocabulary.find(caller, {}),
  },
  Mutation: {
    createUser: (_, { input }, { caller, users }) => users.create(caller, input),
    inviteUser: (_, { input }, { caller, links }) => links.invite(caller, input),
    resetUser: (_, { input }, { caller, links }) => links.reset(caller, input),
    updateUser: (_, { input }, { caller, users }) => users.update(caller, input),
    deactivateUser: (_, { input }, { caller, users }) => users.deactivate(caller, input),
    reactivateUser: (_, { input }, { caller, users }) => users.reactivate(caller, input),

    createClient: (_, { input }, { caller, clients }) => clients.create(caller, input),
    updateClient: (_, { input }, { caller, clients }) => clients.update(caller, input),
    deactivateClient: (_, { input }, { caller, clients }) => clients.deactivate(caller, input),
    rotateClientSecret: (_, { input }, { caller, clients }) => clients.rotateSecret(caller, input),

    createGroup: (_, { input }, { caller, groups }) => groups.create(caller, input),
    mapGroupRoles: (_, { input }, { caller, groups }) => groups.mapRoles(caller, input),
    deleteGroup: (_, { input }, { caller, groups }) => groups.remove(caller, input),

    createIdentityProvider: (_, { input }, { caller, identityProviders }) => identityProviders.create(caller, input),
    updateIdentityProvider: (_, { input }, { caller, identityProviders }) => identityProviders.update(caller, input),
    verifyDomain: (_, { input }, { caller, identityProviders }) => identityProviders.verifyDomain(caller, input),
    deleteIdentityProvider: (_, { input }, { caller, identityProviders }) => identityProviders.remove(caller, input),

    revokeFamily: (_, { input }, { caller, families }) => families.revoke(caller, input),
    rotateSigningKey: (_, { input }, { caller, signingKeys }) => signingKeys.rotate(caller, input),

    beginPasskey: (_, { input }, { caller, passkeys }) => passkeys.begin(caller, input),
    addPasskey: (_, { input }, { caller, passkeys }) => passkeys.add(caller, input),
    removePasskey: (_, { input }, { caller, passkeys }) => passkeys.remove(caller, input),
    revokeSession: async (_, { input }, { caller, sessions }) => (await sessions.revoke(caller, input)).id,

    saveView: (_, { input }, { caller, views }) => views.save(caller, input),
    deleteView: (_, { input }, { caller, views }) => views.remove(caller, input),
  },
  Me: {
    passkeys: (_, _args, { caller, passkeys }) => passkeys.list(caller, {}),
    accountUrl: (_, _args, { accountUrl }) => accountUrl,
  },
  User: {
    __resolveReference: ({ id }, { loaders }) => loaders.user.load(id),
    groups: ({ id }, _, { loaders }) => loaders.groupsOf.load(id),
    signIn: ({ id }, _, { loaders }) => loaders.signInMethods.load(id),
  },
  Client: {
    __resolveReference: ({ id }, { loaders }) => loaders.client.load(id),
    createdBy: ({ createdBy }, _, { loaders }) => (createdBy === null ? null : loaders.user.load(createdBy)),
  },
  Session: {
    user: ({ userId }, _, { loaders }) => loaders.user.load(userId),
  },
  Group: {
    __resolveReference: ({ id }, { loaders }) => loaders.group.load(id),
  },
  TokenFamily: {
    user: ({ userId }, _, { loaders }) => loaders.user.load(userId),
    client: ({ clientId }, _, { loaders }) => loaders.knownClient.load(clientId),
  },
  AuditEvent: {
    actor: ({ actor }, _, { loaders }) => loaders.user.load(actor),
  },
  SavedView: {
    owner: ({ owner }, _, { loaders }) => loaders.user.load(owner),
  },
};
