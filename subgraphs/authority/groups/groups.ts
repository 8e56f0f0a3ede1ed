import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId, toId } from '@landfall/kernel/core/ids';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { freeText } from '@landfall/kernel/operation/input';
import { pageFields, readPage } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import { atVersion, versionedInput } from '../protocol/expected-version.ts';
import { lockStatusChanges } from '../users/account-status.ts';
import { roles } from '../users/users.ts';
import { refreshGroupRoles } from './effective-roles.ts';
import * as store from './groups.store.ts';

export const { listByIds, listMembers, listNamesOfUser, listOfSource, listOfUserBySource } = store;
export const { lockNamedGroups, insertMembers, removeMembers, removeOfSource, removeSource, update } = store;
export type { Group, GroupId } from './groups.store.ts';

export type GroupView = store.Group & { readonly memberCount: number };

const ADMIN = ['authority:admin'];

/** `scim`, or the ids of identity providers. */
const sources = Type.Array(Type.Union([Type.Literal('scim'), idOf('IdentityProvider')]), {
  maxItems: 50,
  uniqueItems: true,
});

const MAX_MEMBERS = 10_000;

const counted = async (query: Query, tenant: TenantId, rows: readonly store.Group[]): Promise<readonly GroupView[]> => {
  const ids = rows.map(({ id }) => id);
  const counts = ids.length === 0 ? [] : await store.countMembers(query, tenant, ids);
  const members = new Map(counts.map((row) => [row.groupId, row.members]));
  return rows.map((group) => ({ ...group, memberCount: members.get(group.id) ?? 0 }));
};

const viewOf = async (query: Query, tenant: TenantId, group: store.Group): Promise<GroupView> => {
  const [view] = await counted(query, tenant, [group]);
  return view ?? { ...group, memberCount: 0 };
};

export const groupEvent = eventsOf('Group');

export const groupConflict = (displayName: string): Fault =>
  new Fault('RES_ALREADY_EXISTS', `There is a group ${displayName} already.`, { displayName });

/** Writes a group, whose name no other group of the tenant may have. */
export const insertGroup = (tx: Tx, tenant: TenantId, group: store.NewGroup): Promise<store.Group> =>
  onConflict(store.insert(tx, tenant, group), 'groups_display_name', () => groupConflict(group.displayName));

/** Locks the group. @throws Fault RES_NOT_FOUND, RES_VERSION_CONFLICT */
export const lockGroup = async (tx: Tx, tenant: TenantId, id: store.GroupId, version?: number) => {
  const group = await store.getLocked(tx, tenant, id);
  return version === undefined ? group : atVersion('group', group, version);
};

/** Removes a locked group; its members lose its roles in this transaction. */
export const removeGroup = async (tx: Tx, caller: Who, group: store.Group): Promise<void> => {
  const { tenant } = caller;
  const members = (await store.listMembers(tx, tenant, group.id)).map(({ userId }) => userId);
  await store.remove(tx, tenant, group.id);
  await refreshGroupRoles(tx, tenant, members);
  const data = { displayName: group.displayName, roles: group.roles, people: members.length };
  await groupEvent(tx, caller, 'group.delete', { id: group.id, version: group.version + 1 }, data);
};

export const groupsOfUsers = async (query: Query, tenant: TenantId, userIds: readonly string[]) => {
  const pairs = await store.listOfUsers(query, tenant, userIds);
  const rows = await store.listByIds(query, tenant, [...new Set(pairs.map(({ groupId }) => groupId))]);
  const views = new Map((await counted(query, tenant, rows)).map((group) => [group.id, group]));
  return (userId: string): readonly GroupView[] =>
    pairs.filter((pair) => pair.userId === userId).flatMap(({ groupId }) => views.get(groupId) ?? []);
};

export const createGroups = ({ operation, ids }: Pick<Deps, 'operation' | 'ids'>) => ({
  list: operation({
    name: 'group.list',
    kind: 'read',
    scope: ADMIN,
    input: Type.Object(pageFields),
    run: ({ tenant }, page, query) =>
      readPage(page, async (bounds) => counted(query, tenant, await store.list(query, tenant, bounds))),
  }),

  /** Reads groups in the order of `ids`; undefined for an id of another tenant. */
  resolve: operation({
    name: 'group.resolve',
    kind: 'read',
    scope: ADMIN,
    input: Type.Object({ ids: Type.Array(idOf('Group'), { maxItems: 1_000 }) }),
    example: { ids: [exampleId('Group')] },
    async run({ tenant }, { ids: requested }, query) {
      const views = await counted(query, tenant, await store.listByIds(query, tenant, requested));
      return requested.map((id): GroupView | undefined => views.find((group) => group.id === id));
    },
  }),

  /** Groups of several people, in the order of `ids`; null where the caller may not see them. */
  ofPeople: operation({
    name: 'group.ofPeople',
    kind: 'read',
    scope: [],
    input: Type.Object({ ids: Type.Array(idOf('User'), { maxItems: 1_000 }) }),
    example: { ids: [exampleId('User')] },
    async run({ tenant, subject, scopes }, { ids: requested }, query) {
      const mayKnow = (id: string): boolean => id === subject || scopes.has('authority:admin');
      const groupsOf = await groupsOfUsers(query, tenant, requested.filter(mayKnow));
      return requested.map((id) => (mayKnow(id) ? groupsOf(id) : null));
    },
  }),

  create: operation({
    name: 'group.create',
    kind: 'write',
    scope: ADMIN,
    input: Type.Object({
      displayName: freeText(200),
      roles,
      sources: Type.Optional(sources),
      members: Type.Optional(Type.Array(idOf('User'), { maxItems: MAX_MEMBERS })),
    }),
    raises: ['RES_ALREADY_EXISTS'],
    example: { displayName: 'Release team', roles: ['viewer'] },
    async run(caller, { displayName, roles: roleNames, sources: groupSources = [], members = [] }, tx) {
      await lockStatusChanges(tx, caller.tenant);
      const id = toId(ids.uuid(), 'Group');
      const is = { id, displayName, externalId: null, roles: roleNames, sources: groupSources, isProvisioned: false };
      const group = await insertGroup(tx, caller.tenant, is);
      await store.insertMembers(tx, caller.tenant, { id, source: 'admin' }, members);
      await refreshGroupRoles(tx, caller.tenant, members);
      await groupEvent(tx, caller, 'group.create', group, {
        displayName,
        roles: roleNames,
        sources: groupSources,
        members,
      });
      return viewOf(tx, caller.tenant, group);
    },
  }),

  /** Sets roles and sources of a group; members of a removed source leave, and lost roles end live access tokens. */
  mapRoles: operation({
    name: 'group.mapRoles',
    kind: 'write',
    scope: ADMIN,
    input: Type.Object({ ...versionedInput('Group').properties, roles, sources: Type.Optional(sources) }),
    raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT', 'RES_CONFLICT'],
    example: { id: exampleId('Group'), roles: ['viewer'], expectedVersion: 1 },
    async run(caller, { id, roles: roleNames, sources: input, expectedVersion: version }, tx) {
      await lockStatusChanges(tx, caller.tenant);
      const found = await lockGroup(tx, caller.tenant, id, version);
      const groupSources = input ?? found.sources;
      const group = await store.update(tx, caller.tenant, id, { roles: roleNames, sources: groupSources });
      const members = (await store.listMembers(tx, caller.tenant, id)).map(({ userId }) => userId);
      await store.removeFormerSources(tx, caller.tenant, group);
      await refreshGroupRoles(tx, caller.tenant, members);
      const data = { before: found.roles, roles: roleNames, sources: groupSources, people: members.length };
      await groupEvent(tx, caller, 'group.mapRoles', group, data);
      return viewOf(tx, caller.tenant, group);
    },
  }),

  remove: operation({
    name: 'group.remove',
    kind: 'write',
    scope: ADMIN,
    input: versionedInput('Group'),
    raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT', 'RES_CONFLICT'],
    example: { id: exampleId('Group'), expectedVersion: 1 },
    async run(caller, { id, expectedVersion: version }, tx) {
      await lockStatusChanges(tx, caller.tenant);
      await removeGroup(tx, caller, await lockGroup(tx, caller.tenant, id, version));
      return id;
    },
  }),
});
