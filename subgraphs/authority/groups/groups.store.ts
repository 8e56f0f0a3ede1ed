import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { empty, sql } from '@landfall/kernel/db/sql';
import { boolean, count, id, instant, integer, type RowOf, table, text, textArray } from '@landfall/kernel/db/table';
import type { UserId } from '../users/users.store.ts';

export type GroupId = Id<'Group'>;

const groups = table('authority.groups', {
  id: id('Group'),
  displayName: text,
  externalId: text.nullable(),
  roles: textArray,
  /** Whom an administrator lets say who is in it: `scim`, or identity providers by their ids. */
  sources: textArray,
  /** A directory made it. */
  isProvisioned: boolean,
  createdAt: instant,
  updatedAt: instant,
  version: integer,
});
const memberCounts = table('authority.group_members count', { groupId: id('Group'), members: count });
const memberships = table('authority.group_members', { groupId: id('Group'), userId: id('User') });

export type Group = RowOf<typeof groups>;

/** Who says that somebody is a member: a directory, an administrator, or an identity provider by its id. */
export type MemberSource = 'scim' | 'admin' | Id<'IdentityProvider'>;

export interface NewGroup {
  readonly id: GroupId;
  readonly displayName: string;
  readonly externalId: string | null;
  readonly roles: readonly string[];
  readonly sources: readonly string[];
  readonly isProvisioned: boolean;
}

export const find = (query: Query, tenant: TenantId, groupId: GroupId) =>
  query.find(
    groups,
    sql`/* authority.groups.find */
    select ${groups.columns} from authority.groups where tenant = ${tenant} and id = ${groupId}`,
  );

/** Whoever changes a group or what it brings takes this lock first, and those of its people after it. */
export const lock = (tx: Tx, tenant: TenantId, groupId: GroupId) =>
  tx.find(
    groups,
    sql`/* authority.groups.lock */
    select ${groups.columns} from authority.groups where tenant = ${tenant} and id = ${groupId} for update`,
  );

export const list = (query: Query, tenant: TenantId, limit: number, after: string | undefined) =>
  query.list(
    groups,
    sql`/* authority.groups.list */
    select ${groups.columns} from authority.groups
    where tenant = ${tenant} ${after === undefined ? empty : sql`and id > ${after}`}
    order by id limit ${limit}`,
  );

export const listByIds = (query: Query, tenant: TenantId, ids: readonly string[]) =>
  query.list(
    groups,
    sql`/* authority.groups.listByIds */
    select ${groups.columns} from authority.groups where tenant = ${tenant} and id = any(${ids}::uuid[])`,
  );

/**
 * Groups that a claim of a provider names, by what they are called here or in the directory, of those that an
 * administrator lets it fill; they stay as they are until the end.
 */
export const holdNamed = (tx: Tx, tenant: TenantId, source: MemberSource, names: readonly string[]) =>
  tx.list(
    groups,
    sql`/* authority.groups.holdNamed */
    select ${groups.columns} from authority.groups
    where tenant = ${tenant} and ${source} = any(sources)
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

export const insert = (tx: Tx, tenant: TenantId, group: NewGroup): Promise<Group> =>
  tx.get(
    groups,
    sql`/* authority.groups.insert */
    insert into authority.groups (tenant, id, display_name, external_id, roles, sources, is_provisioned)
    values (${tenant}, ${group.id}, ${group.displayName}, ${group.externalId}, ${group.roles}, ${group.sources},
      ${group.isProvisioned})
    returning ${groups.columns}`,
  );

export const update = (tx: Tx, tenant: TenantId, group: NewGroup): Promise<Group> =>
  tx.get(
    groups,
    sql`/* authority.groups.update */
    update authority.groups set display_name = ${group.displayName}, external_id = ${group.externalId},
      roles = ${group.roles}, sources = ${group.sources}, version = version + 1
    where tenant = ${tenant} and id = ${group.id}
    returning ${groups.columns}`,
  );

export const remove = (tx: Tx, tenant: TenantId, groupId: GroupId): Promise<number> =>
  tx.run(sql`/* authority.groups.remove */
    delete from authority.groups where tenant = ${tenant} and id = ${groupId}`);

/** Adds people who are there; of ids that are nobody's here it takes no notice. Returns how many joined. */
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

/** Takes people out, whoever said that they are members. */
export const removeMembers = (tx: Tx, tenant: TenantId, groupId: GroupId, userIds: readonly string[]) =>
  tx.run(sql`/* authority.group_members.remove */
    delete from authority.group_members
    where tenant = ${tenant} and group_id = ${groupId} and user_id = any(${userIds}::uuid[])`);

/** Ends what one source says of a person, but for the groups kept. */
export const removeOfSource = (
  tx: Tx,
  tenant: TenantId,
  { userId, source }: { readonly userId: UserId; readonly source: MemberSource },
  kept: readonly string[],
): Promise<number> =>
  tx.run(sql`/* authority.group_members.removeOfSource */
    delete from authority.group_members
    where tenant = ${tenant} and user_id = ${userId} and source = ${source} and not (group_id = any(${kept}::uuid[]))`);

/** Ends what sources say of a group that it no longer has; a directory stays a source of the groups that it made. */
export const removeFormerSources = (tx: Tx, tenant: TenantId, { id: groupId, sources, isProvisioned }: Group) =>
  tx.run(sql`/* authority.group_members.removeFormerSources */
    delete from authority.group_members
    where tenant = ${tenant} and group_id = ${groupId} and source <> 'admin' and not (source = any(${sources}::text[]))
      and not (source = 'scim' and ${isProvisioned}::boolean)`);

/** Groups that a person is in because one source says so. */
export const listOfUserBySource = (
  query: Query,
  tenant: TenantId,
  { userId, source }: { readonly userId: UserId; readonly source: MemberSource },
) =>
  query.list(
    memberships,
    sql`/* authority.group_members.listOfUserBySource */
    select group_id, user_id from authority.group_members
    where tenant = ${tenant} and user_id = ${userId} and source = ${source}`,
  );

/** Ends everything that one source says. Returns nothing of whom: ask `listOfSource` before. */
export const removeSource = (tx: Tx, tenant: TenantId, source: MemberSource): Promise<number> =>
  tx.run(sql`/* authority.group_members.removeSource */
    delete from authority.group_members where tenant = ${tenant} and source = ${source}`);

export const listOfSource = (query: Query, tenant: TenantId, source: MemberSource) =>
  query.list(
    memberships,
    sql`/* authority.group_members.listOfSource */
    select distinct group_id, user_id from authority.group_members where tenant = ${tenant} and source = ${source}`,
  );
