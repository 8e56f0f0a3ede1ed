import { isId, type TenantId } from '@landfall/kernel/core/ids';
import { boolean, count, id, instant, integer, json, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { empty, jsonb, type Sql, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import type { UserId } from '../users/users.ts';
import type { Search } from './search.ts';

const object = Type.Record(Type.String(), Type.Unknown());

const columnsOfPeople = {
  id: id('User'),
  username: text,
  displayName: text,
  email: text.nullable(),
  active: boolean,
  createdAt: instant,
  updatedAt: instant,
  version: integer,
  externalId: text.nullable(),
  attributes: json(object).nullable(),
  /** Whether the directory created the person. */
  isProvisioned: boolean,
};
const people = table('authority.users scim', columnsOfPeople);
const pages = table('authority.users scim page', { ...columnsOfPeople, total: count });
const totals = table('authority.users scim count', { total: count });

export type ScimPerson = RowOf<typeof people>;

/** People that are SCIM resources: a deleted one is none until reactivated. */
const from = (tenant: TenantId): Sql => sql`from authority.users u
    left join authority.scim_users s on s.tenant = u.tenant and s.user_id = u.id
    where u.tenant = ${tenant} and (s.deleted_at is null or u.active)`;

const columns = sql`u.id, u.username, u.display_name, u.email, u.active, u.created_at, u.updated_at, u.version,
      s.external_id, s.attributes, coalesce(s.is_provisioned, false) as is_provisioned`;

const iso = (column: Sql): Sql => sql`to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const groupsOf = sql`(select jsonb_agg(distinct jsonb_build_object('value', g.id, 'display', lower(g.display_name),
        'type', 'direct'))
      from authority.group_members m join authority.groups g on g.tenant = m.tenant and g.id = m.group_id
      where m.tenant = u.tenant and m.user_id = u.id)`;

/** E-mails with the product's own as the primary one. */
const emailsOf = sql`case
      when u.email is null or coalesce(s.search -> 'emails', '[]')
        @> jsonb_build_array(jsonb_build_object('value', lower(u.email))) then s.search -> 'emails'
      else jsonb_build_array(jsonb_build_object('value', lower(u.email), 'type', 'work', 'primary', true))
        || jsonb_path_query_array(coalesce(s.search -> 'emails', '[]'), '$[*] ? (!(@.primary == true))')
    end`;

/** Part of a search document, where the filter names it. The statement's text does not change. */
const condition = ({ attributes }: Search, name: string, part: Sql): Sql =>
  sql`case when ${attributes.has(name)}::boolean then ${part} end`;

const schemasOf = sql`jsonb_build_array('urn:ietf:params:scim:schemas:core:2.0:User')
        || case when s.search ? 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:user'
          then jsonb_build_array('urn:ietf:params:scim:schemas:extension:enterprise:2.0:User') else '[]'::jsonb end`;

const metaOf = sql`jsonb_build_object('resourcetype', 'User', 'created', ${iso(sql`u.created_at`)},
        'lastmodified', ${iso(sql`u.updated_at`)}, 'version', 'W/"' || u.version || '"')`;

const documentOf = (search: Search): Sql => sql`coalesce(s.search, '{}') || jsonb_strip_nulls(jsonb_build_object(
      'id', u.id, 'externalid', s.external_id, 'username', u.username, 'displayname', lower(u.display_name),
      'active', u.active,
      'schemas', ${condition(search, 'schemas', schemasOf)},
      'emails', ${condition(search, 'emails', emailsOf)},
      'groups', ${condition(search, 'groups', groupsOf)},
      'meta', ${condition(search, 'meta', metaOf)}))`;

/** Index conditions of a filter, which still applies as a whole. */
const narrowed = ({ exact }: Search): Sql =>
  sql`${
    exact.userName === undefined ? empty : sql`and u.username = ${exact.userName.toLowerCase()}`
  } ${exact.externalId === undefined ? empty : sql`and s.external_id = ${exact.externalId}`} ${
    exact.id !== undefined && isId(exact.id, 'User') ? sql`and u.id = ${exact.id}` : empty
  }`;

/** People with their search document, built once for filter and order. */
const found = (tenant: TenantId, search: Search): Sql =>
  search.jsonPath === undefined && !search.sortPath
    ? from(tenant)
    : sql`from (select u.*, s.external_id, s.attributes, s.is_provisioned, s.deleted_at, ${documentOf(search)} as document
        ${from(tenant)} ${narrowed(search)} offset 0) u
      cross join lateral (select u.external_id, u.attributes, u.is_provisioned) s
      where ${search.jsonPath === undefined ? sql`true` : sql`u.document @@ ${search.jsonPath}::jsonpath`}`;

const order = ({ sortPath, descending }: Search): Sql => {
  if (!sortPath) return sql`u.id`;
  const key = sql`u.document #>> ${sortPath}::text[]`;
  return descending ? sql`${key} desc nulls first, u.id` : sql`${key} asc nulls last, u.id`;
};

/** Page of people, each row with the total count. */
export const list = (query: Query, tenant: TenantId, search: Search) =>
  query.list(
    pages,
    sql`/* authority.scim_users.list */
    select ${columns}, count(*) over () as total ${found(tenant, search)}
    order by ${order(search)} limit ${search.limit} offset ${search.offset}`,
  );

/** Total count, for an empty page. */
export const countAll = async (query: Query, tenant: TenantId, search: Search): Promise<number> =>
  (
    await query.get(
      totals,
      sql`/* authority.scim_users.count */
      select count(*) as total ${found(tenant, search)}`,
    )
  ).total;

export const find = (query: Query, tenant: TenantId, userId: UserId) =>
  query.find(
    people,
    sql`/* authority.scim_users.find */
    select ${columns} ${from(tenant)} and u.id = ${userId}`,
  );

const deleted = table('authority.users scim deleted', { id: id('User'), isProvisioned: boolean });

/**
 * Finds a deleted person by name. The name is free again when the directory created the person (RFC 7644, section 3.6).
 */
export const findDeleted = (query: Query, tenant: TenantId, username: string) =>
  query.find(
    deleted,
    sql`/* authority.scim_users.findDeleted */
    select u.id, s.is_provisioned from authority.users u
    join authority.scim_users s on s.tenant = u.tenant and s.user_id = u.id
    where u.tenant = ${tenant} and u.username = ${username} and s.deleted_at is not null and not u.active`,
  );

export interface Profile {
  readonly username: string;
  readonly displayName: string;
  readonly email: string | null;
  /** Hash of the new password; null keeps the present one. */
  readonly passwordHash: string | null;
}

export const updateProfile = (tx: Tx, tenant: TenantId, userId: UserId, is: Profile): Promise<number> =>
  tx.run(sql`/* authority.users.updateByScim */
    update authority.users set username = ${is.username}, display_name = ${is.displayName}, email = ${is.email},
      password_hash = coalesce(${is.passwordHash}, password_hash), version = version + 1
    where tenant = ${tenant} and id = ${userId}`);

/** Renames a deleted person to free the name; the new name cannot be typed in. */
export const freeUsername = (tx: Tx, tenant: TenantId, userId: UserId): Promise<number> =>
  tx.run(sql`/* authority.users.freeUsername */
    update authority.users set username = username || '~' || id, version = version + 1
    where tenant = ${tenant} and id = ${userId}`);

export interface ScimAttributes {
  readonly externalId: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly search: Readonly<Record<string, unknown>>;
}

/**
 * Writes the directory's attributes of a person.
 * @param is.isProvisioned whether the directory created the person; an existing person keeps the former value
 */
export const keep = (
  tx: Tx,
  tenant: TenantId,
  userId: UserId,
  is: ScimAttributes & { readonly isProvisioned: boolean },
): Promise<number> =>
  tx.run(sql`/* authority.scim_users.keep */
    insert into authority.scim_users (tenant, user_id, external_id, attributes, search, is_provisioned)
    values (${tenant}, ${userId}, ${is.externalId}, ${jsonb(is.attributes)}::jsonb, ${jsonb(is.search)}::jsonb,
      ${is.isProvisioned})
    on conflict (tenant, user_id) do update set external_id = excluded.external_id, attributes = excluded.attributes,
      search = excluded.search, deleted_at = null`);

export const markDeleted = (tx: Tx, tenant: TenantId, userId: UserId): Promise<number> =>
  tx.run(sql`/* authority.scim_users.markDeleted */
    insert into authority.scim_users (tenant, user_id, attributes, search, is_provisioned, deleted_at)
    values (${tenant}, ${userId}, '{}', '{}', false, kernel.now())
    on conflict (tenant, user_id) do update set deleted_at = excluded.deleted_at`);

export const leaveGroups = (tx: Tx, tenant: TenantId, userId: UserId): Promise<number> =>
  tx.run(sql`/* authority.group_members.leave */
    delete from authority.group_members where tenant = ${tenant} and user_id = ${userId}`);
