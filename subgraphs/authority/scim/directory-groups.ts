import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, isId, type TenantId, toId } from '@landfall/kernel/core/ids';
import { isJsonObject } from '@landfall/kernel/core/json';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { freeText, parser } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { refreshGroupRoles } from '../groups/effective-roles.ts';
import * as groups from '../groups/groups.ts';
import { lockStatusChanges } from '../users/account-status.ts';
import { groupType } from './attributes.ts';
import * as store from './directory-groups.store.ts';
import { refuseForeignGroup } from './directory-permissions.ts';
import { etagOf, refuseOther } from './entity-tag.ts';
import { patched, readOperations } from './patch.ts';
import { bodyFields, CHANGE_RAISES, questionFields, SCIM_SCOPES, type SearchPage, type Versioned } from './people.ts';
import type { Links } from './person-resource.ts';
import { type Resource, readResource } from './resource.ts';
import { scimFault } from './scim-fault.ts';
import { searchFor } from './search.ts';

const withMembers = Type.Optional(Type.Boolean());

interface GroupData {
  readonly displayName: string;
  readonly externalId: string | null;
  /** Undefined: unspecified. */
  readonly members: readonly string[] | undefined;
}

const readName = parser(Type.Object({ displayName: freeText(200) }));

/** Ids of members; a value that is no id of a person is refused, and so are nested groups. */
const memberIds = (members: unknown): readonly string[] | undefined => {
  if (!Array.isArray(members)) return undefined;
  const ids = members.filter(isJsonObject).map(({ value, type }) => {
    if (typeof type === 'string' && type.toLowerCase() !== 'user')
      throw scimFault('invalidValue', 'Members of a group are people.');
    if (typeof value !== 'string' || !isId(value, 'User'))
      throw scimFault('invalidValue', 'The value of a member is no id of a person.');
    return value.toLowerCase();
  });
  return [...new Set(ids)];
};

const readGroup = ({ displayName, externalId, members }: Resource): GroupData => ({
  ...readName({ displayName }),
  externalId: typeof externalId === 'string' && externalId !== '' ? externalId : null,
  members: memberIds(members),
});

const groupResource = (group: store.ScimGroup, members: readonly store.ScimMember[], { root }: Links): Resource => ({
  schemas: [groupType.core.id],
  id: group.id,
  ...(group.externalId !== null && { externalId: group.externalId }),
  displayName: group.displayName,
  ...(members.length > 0 && {
    members: members.map(({ userId, displayName }) => ({
      value: userId,
      $ref: `${root}/Users/${userId}`,
      display: displayName,
      type: 'User',
    })),
  }),
  meta: {
    resourceType: 'Group',
    created: group.createdAt.toISOString(),
    lastModified: group.updatedAt.toISOString(),
    location: `${root}/Groups/${group.id}`,
    version: etagOf(group.version),
  },
});

const viewsOf = async (
  query: Query,
  tenant: TenantId,
  rows: readonly store.ScimGroup[],
  { links, isWhole: isComplete }: { readonly links: Links; readonly isWhole: boolean },
): Promise<readonly Resource[]> => {
  const ids = rows.map(({ id }) => id);
  const all = isComplete && ids.length > 0 ? await store.listMembers(query, tenant, ids) : [];
  const byGroup = Map.groupBy(all, ({ groupId }) => groupId);
  return rows.map((group) => groupResource(group, byGroup.get(group.id) ?? [], links));
};

const viewOfId = async (query: Query, tenant: TenantId, id: groups.GroupId, links: Links): Promise<Versioned> => {
  const group = await store.find(query, tenant, id);
  const [resource] = group ? await viewsOf(query, tenant, [group], { links, isWhole: true }) : [];
  if (!group || !resource) throw new Fault('RES_NOT_FOUND', `There is no group ${id}.`);
  return { resource, version: group.version };
};

/** Replaces the members by those of the directory. Returns the added and removed people. */
const writeMembers = async (tx: Tx, tenant: TenantId, id: groups.GroupId, requested: readonly string[]) => {
  const before = new Set<string>((await groups.listMembers(tx, tenant, id)).map(({ userId }) => userId));
  const next = new Set(requested);
  const added = requested.filter((userId) => !before.has(userId));
  const removed = [...before].filter((userId) => !next.has(userId));
  const known = await store.listKnown(tx, tenant, added);
  if (known.length < added.length) throw scimFault('invalidValue', 'A member is nobody of this tenant.');
  await groups.removeMembers(tx, tenant, id, removed);
  await groups.insertMembers(tx, tenant, { id, source: 'scim' }, added);
  await refreshGroupRoles(tx, tenant, [...added, ...removed]);
  return { added, removed };
};

const write = async (tx: Tx, caller: Who, before: groups.Group, data: GroupData): Promise<void> => {
  const { tenant } = caller;
  const { displayName, externalId } = data;
  const group = await onConflict(
    groups.update(tx, tenant, before.id, { displayName, externalId }),
    'groups_display_name',
    () => groups.groupConflict(displayName),
  );
  const members = await writeMembers(tx, tenant, before.id, data.members ?? []);
  await groups.groupEvent(tx, caller, 'group.update', group, { displayName, ...members, by: 'scim' });
};

const lockAt = async (tx: Tx, caller: Who, id: groups.GroupId, ifMatch: string | undefined) => {
  const { tenant } = caller;
  await lockStatusChanges(tx, tenant);
  const group = await groups.lockGroup(tx, tenant, id);
  refuseForeignGroup(caller, group);
  refuseOther(ifMatch, group.version);
  return group;
};

export const createDirectoryGroups = ({ operation, ids }: Pick<Deps, 'operation' | 'ids'>, links: Links) => ({
  list: operation({
    name: 'scim.group.list',
    kind: 'read',
    scope: SCIM_SCOPES,
    input: Type.Object({ ...questionFields, withMembers }),
    example: { filter: 'displayName pr' },
    async run({ tenant }, { withMembers: isComplete = true, ...asked }, query): Promise<SearchPage> {
      const search = searchFor(groupType, asked);
      const total = await store.countAll(query, tenant, search);
      const rows = search.limit === 0 ? [] : await store.list(query, tenant, search);
      const resources = await viewsOf(query, tenant, rows, { links, isWhole: isComplete });
      return { total, startIndex: search.offset + 1, resources };
    },
  }),

  find: operation({
    name: 'scim.group.find',
    kind: 'read',
    scope: SCIM_SCOPES,
    input: Type.Object({ id: idOf('Group') }),
    raises: ['RES_NOT_FOUND'],
    example: { id: exampleId('Group') },
    run: ({ tenant }, { id }, query) => viewOfId(query, tenant, id, links),
  }),

  create: operation({
    name: 'scim.group.create',
    kind: 'write',
    scope: SCIM_SCOPES,
    input: Type.Object(bodyFields),
    raises: ['RES_ALREADY_EXISTS'],
    example: { body: { schemas: [groupType.core.id], displayName: 'Release team' } },
    /** Creates a group without roles; an administrator assigns them. */
    async run(caller, { body }, tx) {
      const { tenant } = caller;
      const { displayName, externalId, members = [] } = readGroup(readResource(groupType, body));
      await lockStatusChanges(tx, tenant);
      const id = toId(ids.uuid(), 'Group');
      const row = { id, displayName, externalId, roles: [], sources: [], isProvisioned: true };
      const group = await groups.insertGroup(tx, tenant, row);
      await writeMembers(tx, tenant, id, members);
      await groups.groupEvent(tx, caller, 'group.create', group, { displayName, roles: [], members, by: 'scim' });
      return viewOfId(tx, tenant, id, links);
    },
  }),

  replace: operation({
    name: 'scim.group.replace',
    kind: 'write',
    scope: SCIM_SCOPES,
    input: Type.Object({ id: idOf('Group'), ...bodyFields }),
    raises: CHANGE_RAISES,
    example: { id: exampleId('Group'), body: { schemas: [groupType.core.id], displayName: 'Release team' } },
    async run(caller, { id, body, ifMatch }, tx) {
      const group = await lockAt(tx, caller, id, ifMatch);
      await write(tx, caller, group, readGroup(readResource(groupType, body)));
      return viewOfId(tx, caller.tenant, id, links);
    },
  }),

  patch: operation({
    name: 'scim.group.patch',
    kind: 'write',
    scope: SCIM_SCOPES,
    input: Type.Object({ id: idOf('Group'), ...bodyFields }),
    raises: CHANGE_RAISES,
    example: {
      id: exampleId('Group'),
      body: { Operations: [{ op: 'replace', path: 'displayName', value: 'Release team' }] },
    },
    async run(caller, { id, body, ifMatch }, tx) {
      const operations = readOperations(body);
      const group = await lockAt(tx, caller, id, ifMatch);
      const { resource } = await viewOfId(tx, caller.tenant, id, links);
      await write(tx, caller, group, readGroup(patched(groupType, resource, operations)));
      return viewOfId(tx, caller.tenant, id, links);
    },
  }),

  remove: operation({
    name: 'scim.group.remove',
    kind: 'write',
    scope: SCIM_SCOPES,
    input: Type.Object({ id: idOf('Group'), ifMatch: bodyFields.ifMatch }),
    raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT', 'RES_CONFLICT', 'PERM_ACTION_DENIED'],
    example: { id: exampleId('Group') },
    async run(caller, { id, ifMatch }, tx) {
      await groups.removeGroup(tx, caller, await lockAt(tx, caller, id, ifMatch));
    },
  }),
});
