import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, count, id, instant, integer, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { empty, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { UserId } from '../users/users.ts';

export type GroupId = Id<'Group'>;

const columns = {
  id: id('Group'),
  displayName: text,
  externalId: text.nullable(),
  roles: textArray,
  /** Allowed membership sources: `scim`, or ids of identity providers. */
  sources: textArray,
  /** Whether a directory created it. */
  isProvisioned: boolean,
  createdAt: instant,
  updatedAt: instant,
  version: integer,
};

const groups = table('authority.groups', columns, { noun: 'group' });
/** Store functions of groups. Lock order: the group, then its people. */
export const { find, getLocked, listByIds, insert, update, remove } = groups;

const memberCounts = table('authority.group_members count', { groupId: id('Group'), members: count });
const memberships = table('authority.group_members', { groupId: id('Group'), userId: id('User') });

export type Group = RowOf<typeof groups>;

/** Source of a membership: a directory, an administrator, or an identity provider by its id. */
export type MemberSource = 'scim' | 'admin' | Id<'IdentityProvider'>;

export type NewGroup = Omit<Group, 'createdAt' | 'updatedAt' | 'version'>;

interface GroupSearch {
  readonly after: string | undefined;
  readonly limit: number;
}

export const list = (query: Query, tenant: TenantId, { after, limit }: GroupSearch) =>
  groups.listWhere(
    query,
    'list',
    sql`tenant = ${tenant} ${after === undefined ? empty : sql`and id > ${after}`}
    order by id limit ${limit}`,
  );

/**
 * Locks for share the groups that a provider's claim names, by display name or external id, among those it may fill.
 */
export const lockNamedGroups = (tx: Tx, tenant: TenantId, source: MemberSource, names: readonly string[]) =>
  groups.listWhere(
    tx,
    'lockNamedGroups',
    sql`tenant = ${tenant} and ${source} = any(sources)
      and (lower(display_name) in (select lower(name) from unnest(${names}::text[]) name)
        or external_id = any(${names}::text[]))
    order by id for share`,
  );

export const countMembers = (query: Query, tenant: TenantId, ids: readonly string[]) =>
  query.list(
    memberCounts,
    sql`/* authority.group_members.count */
    select group_id, count(distinct user_id) as members from authority.group_members
    where tenant = ${tenant} and group_id = any(${ids}::uuid[])
    group by group_id`,
  );

export const listOfUsers = (query: Query, tenant: TenantId, userIds: readonly string[]) =>
  query.list(
    memberships,
    sql`/* authority.group_members.listOfUsers */
    select distinct group_id, user_id from authority.group_members
    where tenant = ${tenant} and user_id = any(${userIds}::uuid[])
    order by group_id`,
  );

const names = table('authority.groups names', { displayName: text });

export const listNamesOfUser = (query: Query, tenant: TenantId, userId: string) =>
  query.list(
    names,
    sql`/* authority.groups.listNamesOfUser */
    select display_name from authority.groups
    where tenant = ${tenant} and id in (
      select group_id from authority.group_members where tenant = ${tenant} and user_id = ${userId})
    order by display_name`,
  );

export const listMembers = (query: Query, tenant: TenantId, groupId: GroupId) =>
  query.list(
    memberships,
    sql`/* authority.group_members.list */
    select distinct group_id, user_id from authority.group_members
    where tenant = ${tenant} and group_id = ${groupId}
    order by user_id`,
  );

/** Adds existing people; unknown ids are ignored. Returns the number of new members. */
export const insertMembers = (
  tx: Tx,
  tenant: TenantId,
  { id: groupId, source }: { readonly id: GroupId; readonly source: MemberSource },
  userIds: readonly string[],
): Promise<number> =>
  tx.run(sql`/* authority.group_members.insert */
    insert into authority.group_members (tenant, group_id, user_id, source)
    select tenant, ${groupId}, id, ${source} from authority.users
    where tenant = ${tenant} and id = any(${userIds}::uuid[])
    on conflict do nothing`);

/** Removes people, whatever the source. */
export const removeMembers = (tx: Tx, tenant: TenantId, groupId: GroupId, userIds: readonly string[]) =>
  memberCounts.removeWhere(
    tx,
    'remove',
    sql`tenant = ${tenant} and group_id = ${groupId} and user_id = any(${userIds}::uuid[])`,
  );

/** Deletes a person's memberships by one source, except in the given groups. */
export const removeOfSource = (
  tx: Tx,
  tenant: TenantId,
  { userId, source }: { readonly userId: UserId; readonly source: MemberSource },
  retained: readonly string[],
): Promise<number> =>
  memberCounts.removeWhere(
    tx,
    'removeOfSource',
    sql`tenant = ${tenant} and user_id = ${userId} and source = ${source} and not (group_id = any(${retained}::uuid[]))`,
  );

/** Deletes memberships by sources that the group no longer has; a directory stays a source of the groups it created. */
export const removeFormerSources = (tx: Tx, tenant: TenantId, { id: groupId, sources, isProvisioned }: Group) =>
  memberCounts.removeWhere(
    tx,
    'removeFormerSources',
    sql`tenant = ${tenant} and group_id = ${groupId} and source <> 'admin' and not (source = any(${sources}::text[]))
      and not (source = 'scim' and ${isProvisioned}::boolean)`,
  );

export const listOfUserBySource = (
  query: Query,
  tenant: TenantId,
  { userId, source }: { readonly userId: UserId; readonly source: MemberSource },
) =>
  memberships.listWhere(
    query,
    'listOfUserBySource',
    sql`tenant = ${tenant} and user_id = ${userId} and source = ${source}`,
  );

/** Deletes all memberships by one source. Call `listOfSource` before to know the people. */
export const removeSource = (tx: Tx, tenant: TenantId, source: MemberSource): Promise<number> =>
  memberCounts.removeWhere(tx, 'removeSource', sql`tenant = ${tenant} and source = ${source}`);

export const listOfSource = (query: Query, tenant: TenantId, source: MemberSource) =>
  query.list(
    memberships,
    sql`/* authority.group_members.listOfSource */
    select distinct group_id, user_id from authority.group_members where tenant = ${tenant} and source = ${source}`,
  );
