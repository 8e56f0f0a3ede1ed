import { type Id, isId, type TenantId } from '@landfall/kernel/core/ids';
import { boolean, id, instant, integer, tenantId, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { containing, empty, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
export type UserId = Id<'User'>;

const columns = {
  id: id('User'),
  username: text,
  displayName: text,
  email: text.nullable(),
  /** Roles assigned directly. */
  roles: textArray,
  /** Roles by groups, maintained by the groups' writes. */
  groupRoles: textArray,
  active: boolean,
  createdAt: instant,
  version: integer,
};

const users = table('authority.users', columns, { noun: 'user', writes: { passwordHash: text.nullable() } });

export const { find, findLocked, getLocked, insert, update } = users;

const isUserId = (text: string): text is UserId => isId(text, 'User');

export const listByIds = (query: Query, tenant: TenantId, ids: readonly string[]) =>
  users.listByIds(query, tenant, ids.filter(isUserId));

export type User = RowOf<typeof users>;

/** Roles of a person, direct and by groups. */
export const effectiveRoles = ({ roles, groupRoles }: Pick<User, 'roles' | 'groupRoles'>): readonly string[] => [
  ...new Set([...roles, ...groupRoles]),
];

export interface NewUser {
  readonly id: UserId;
  readonly username: string;
  readonly displayName: string;
  readonly email: string | null;
  /** Null for people without a password: invited, provisioned or signed in by a provider. */
  readonly passwordHash: string | null;
  readonly roles: readonly string[];
}

const credentials = table('authority.users credentials', {
  tenant: tenantId,
  id: id('User'),
  passwordHash: text.nullable(),
});

/** Finds the credentials of a name. Role `landfall_system`: the tenant is unknown before the password. */
export const findCredentials = (query: Query, username: string) =>
  credentials.findWhere(query, 'findCredentials', sql`username = ${username}`);

export const findByUsername = (query: Query, tenant: TenantId, username: string) =>
  users.findWhere(query, 'findByUsername', sql`tenant = ${tenant} and username = ${username}`);

/** Locks an active user for share: taken first by everything that issues tokens. */
export const lockActive = (tx: Tx, tenant: TenantId, userId: UserId) =>
  users.findWhere(tx, 'lockActive', sql`tenant = ${tenant} and id = ${userId} and active for share`);

export interface UserSearch {
  /** Part of a user name, display name or e-mail, case-insensitive. */
  readonly text?: string | undefined;
  readonly active?: boolean | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

export const list = (query: Query, tenant: TenantId, { text: part, active, after, limit }: UserSearch) =>
  users.listWhere(
    query,
    'list',
    sql`tenant = ${tenant}
      ${after === undefined ? empty : sql`and id > ${after}`}
      ${active === undefined ? empty : sql`and active = ${active}`}
      ${part === undefined ? empty : sql`and concat_ws(' ', username, display_name, email) ilike ${containing(part)}`}
    order by id limit ${limit}`,
  );

/** Active people among some ids, or with one of some roles. */
export const listActive = (
  query: Query,
  tenant: TenantId,
  ids: readonly string[],
  roles: readonly string[],
  limit: number,
) =>
  users.listWhere(
    query,
    'listActive',
    sql`tenant = ${tenant} and active
      and (id = any(${ids.filter(isUserId)}::uuid[]) or (roles || group_roles) && ${roles}::text[])
    order by id limit ${limit}`,
  );

const active = table('authority.users active', { id: id('User'), displayName: text });

/** Active people among some ids. Role `landfall_system` too. */
export const listActiveByIds = (query: Query, tenant: TenantId, ids: readonly string[]) =>
  active.listWhere(
    query,
    'listActiveByIds',
    sql`tenant = ${tenant} and active and id = any(${ids.filter(isUserId)}::uuid[])`,
  );

const tenantsOfPeople = table('authority.users tenants', { tenant: tenantId });

/** Tenants with people, found by steps through the index. Role `landfall_system`. */
export const listTenants = (query: Query) =>
  query.list(
    tenantsOfPeople,
    sql`/* authority.users.listTenants */
    with recursive found as (
      (select tenant from authority.users order by tenant limit 1)
      union all
      select (select u.tenant from authority.users u where u.tenant > found.tenant order by u.tenant limit 1)
      from found where found.tenant is not null
    )
    select tenant from found where tenant is not null`,
  );

/** Whether an active person of the tenant has a role, directly or by a group. */
export const hasActiveWithRole = (query: Query, tenant: TenantId, role: string): Promise<boolean> =>
  users.existsWhere(
    query,
    'hasActiveWithRole',
    sql`tenant = ${tenant} and active and ${role} = any(roles || group_roles)`,
  );
