import { isId, type TenantId } from '@landfall/kernel/core/ids';
import { count, id, instant, integer, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { empty, type Sql, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { GroupId } from '../groups/groups.ts';
import type { Search } from './search.ts';

const groups = table('authority.groups scim', {
  id: id('Group'),
  displayName: text,
  externalId: text.nullable(),
  createdAt: instant,
  updatedAt: instant,
  version: integer,
});
const totals = table('authority.groups scim count', { total: count });
const members = table('authority.group_members scim', { groupId: id('Group'), userId: id('User'), displayName: text });

export type ScimGroup = RowOf<typeof groups>;
export type ScimMember = RowOf<typeof members>;

const iso = (column: Sql): Sql => sql`to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const membersOf = sql`(select jsonb_agg(distinct jsonb_build_object('value', u.id, 'display', lower(u.display_name),
        'type', 'user'))
      from authority.group_members m join authority.users u on u.tenant = m.tenant and u.id = m.user_id
      where m.tenant = g.tenant and m.group_id = g.id)`;

/** Search document of a group. Members are included only where the filter names them. */
const documentOf = (includesMembers: boolean): Sql => sql`jsonb_strip_nulls(jsonb_build_object(
      'schemas', jsonb_build_array('urn:ietf:params:scim:schemas:core:2.0:Group'),
      'id', g.id, 'externalid', g.external_id, 'displayname', lower(g.display_name),
      'members', ${includesMembers ? membersOf : sql`null::jsonb`},
      'meta', jsonb_build_object('resourcetype', 'Group', 'created', ${iso(sql`g.created_at`)},
        'lastmodified', ${iso(sql`g.updated_at`)}, 'version', 'W/"' || g.version || '"')))`;

/** Index conditions of a filter, which still applies as a whole. */
const narrowed = ({ exact }: Search): Sql =>
  sql`${
    exact.displayName === undefined ? empty : sql`and lower(g.display_name) = ${exact.displayName.toLowerCase()}`
  } ${exact.externalId === undefined ? empty : sql`and g.external_id = ${exact.externalId}`} ${
    exact.id !== undefined && isId(exact.id, 'Group') ? sql`and g.id = ${exact.id}` : empty
  }`;

const includesMembers = ({ attributes }: Search): boolean => attributes.has('members');

const found = (tenant: TenantId, search: Search): Sql =>
  search.jsonPath === undefined
    ? sql`from authority.groups g where g.tenant = ${tenant}`
    : sql`from authority.groups g where g.tenant = ${tenant} ${narrowed(search)}
        and ${documentOf(includesMembers(search))} @@ ${search.jsonPath}::jsonpath`;

const order = (search: Search): Sql => {
  if (!search.sortPath) return sql`g.id`;
  const key = sql`(${documentOf(includesMembers(search))}) #>> ${search.sortPath}::text[]`;
  return search.descending ? sql`${key} desc nulls first, g.id` : sql`${key} asc nulls last, g.id`;
};

export const list = (query: Query, tenant: TenantId, search: Search) =>
  query.list(
    groups,
    sql`/* authority.groups.listByScim */
    select ${groups.of('g')} ${found(tenant, search)}
    order by ${order(search)} limit ${search.limit} offset ${search.offset}`,
  );

export const countAll = async (query: Query, tenant: TenantId, search: Search): Promise<number> =>
  (
    await query.get(
      totals,
      sql`/* authority.groups.countByScim */
      select count(*) as total ${found(tenant, search)}`,
    )
  ).total;

export const find = (query: Query, tenant: TenantId, groupId: GroupId) =>
  groups.findWhere(query, 'findByScim', sql`tenant = ${tenant} and id = ${groupId}`);

export const listMembers = (query: Query, tenant: TenantId, groupIds: readonly string[]) =>
  query.list(
    members,
    sql`/* authority.group_members.listByScim */
    select distinct m.group_id, m.user_id, u.display_name from authority.group_members m
    join authority.users u on u.tenant = m.tenant and u.id = m.user_id
    where m.tenant = ${tenant} and m.group_id = any(${groupIds}::uuid[])
    order by m.group_id, m.user_id`,
  );

/** Filters people who are SCIM resources. */
export const listKnown = (tx: Tx, tenant: TenantId, userIds: readonly string[]) =>
  tx.list(
    known,
    sql`/* authority.scim_users.listKnown */
    select u.id from authority.users u
    left join authority.scim_users s on s.tenant = u.tenant and s.user_id = u.id
    where u.tenant = ${tenant} and u.id = any(${userIds}::uuid[]) and (s.deleted_at is null or u.active)`,
  );

const known = table('authority.users known', { id: id('User') });
