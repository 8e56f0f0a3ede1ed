import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { empty, sql } from '@landfall/kernel/db/sql';
import { boolean, id, instant, integer, type RowOf, table, tenantId, text, textArray } from '@landfall/kernel/db/table';

export type UserId = Id<'User'>;

const users = table('authority.users', {
  id: id('User'),
  username: text,
  displayName: text,
  email: text.nullable(),
  /** Held directly. */
  roles: textArray,
  /** What the person's groups bring, kept by the groups' own writes. */
  groupRoles: textArray,
  active: boolean,
  createdAt: instant,
  version: integer,
});

export type User = RowOf<typeof users>;

/** What a person may do: directly, or by a group. */
export const effectiveRoles = ({ roles, groupRoles }: Pick<User, 'roles' | 'groupRoles'>): readonly string[] => [
  ...new Set([...roles, ...groupRoles]),
];

export interface NewUser {
  readonly id: UserId;
  readonly username: string;
  readonly displayName: string;
  readonly email: string | null;
  /** Null: invited, provisioned or vouched for by a provider, and no password chosen. */
  readonly passwordHash: string | null;
  readonly roles: readonly string[];
}

const credentials = table('authority.users credentials', {
  tenant: tenantId,
  id: id('User'),
  passwordHash: text.nullable(),
});

/** Whoever a name belongs to. Role `landfall_system`: before the password there is no tenant. */
export const findCredentials = (query: Query, username: string) =>
  query.find(
    credentials,
    sql`/* authority.users.findCredentials */
    select ${credentials.columns} from authority.users where username = ${username}`,
  );

export const find = (query: Query, tenant: TenantId, userId: UserId) =>
  query.find(
    users,
    sql`/* authority.users.find */
    select ${users.columns} from authority.users where tenant = ${tenant} and id = ${userId}`,
  );

export const findByUsername = (query: Query, tenant: TenantId, username: string) =>
  query.find(
    users,
    sql`/* authority.users.findByUsername */
    select ${users.columns} from authority.users where tenant = ${tenant} and username = ${username}`,
  );

/** An active user who stays active until this transaction ends: what issues anything takes this lock first. */
export const lockActive = (tx: Tx, tenant: TenantId, userId: UserId) =>
  tx.find(
    users,
    sql`/* authority.users.holdActive */
    select ${users.columns} from authority.users
    where tenant = ${tenant} and id = ${userId} and active
    for share`,
  );

export const lock = (tx: Tx, tenant: TenantId, userId: UserId) =>
  tx.find(
    users,
    sql`/* authority.users.lock */
    select ${users.columns} from authority.users where tenant = ${tenant} and id = ${userId} for update`,
  );

export interface UserSearch {
  /** Part of a user name, a display name or an e-mail, in any case. */
  readonly text?: string | undefined;
  readonly active?: boolean | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** `text` as a LIKE pattern that finds it anywhere: its own wildcards stand for themselves. */
const anywhere = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

export const list = (query: Query, tenant: TenantId, { text: part, active, after, limit }: UserSearch) =>
  query.list(
    users,
    sql`/* authority.users.list */
    select ${users.columns} from authority.users
    where tenant = ${tenant}
      ${after === undefined ? empty : sql`and id > ${after}`}
      ${active === undefined ? empty : sql`and active = ${active}`}
      ${part === undefined ? empty : sql`and concat_ws(' ', username, display_name, email) ilike ${anywhere(part)}`}
    order by id limit ${limit}`,
  );

export const listByIds = (query: Query, tenant: TenantId, ids: readonly string[]) =>
  query.list(
    users,
    sql`/* authority.users.listByIds */
    select ${users.columns} from authority.users where tenant = ${tenant} and id = any(${ids}::uuid[])`,
  );

export const insert = (tx: Tx, tenant: TenantId, user: NewUser): Promise<User> =>
  tx.get(
    users,
    sql`/* authority.users.insert */
    insert into authority.users (tenant, id, username, display_name, email, password_hash, roles)
    values (${tenant}, ${user.id}, ${user.username}, ${user.displayName}, ${user.email}, ${user.passwordHash},
      ${user.roles})
    returning ${users.columns}`,
  );

export type Profile = Pick<User, 'displayName' | 'email' | 'roles'>;

export const update = (tx: Tx, tenant: TenantId, userId: UserId, is: Profile): Promise<User> =>
  tx.get(
    users,
    sql`/* authority.users.update */
    update authority.users set display_name = ${is.displayName}, email = ${is.email}, roles = ${is.roles},
      version = version + 1
    where tenant = ${tenant} and id = ${userId}
    returning ${users.columns}`,
  );

export const setActive = (tx: Tx, tenant: TenantId, userId: UserId, active: boolean): Promise<User> =>
  tx.get(
    users,
    sql`/* authority.users.setActive */
    update authority.users set active = ${active}, version = version + 1
    where tenant = ${tenant} and id = ${userId}
    returning ${users.columns}`,
  );

const anybody = table('authority.users anybody', { isThere: boolean });

/** Whether an active person of the tenant has a role, directly or by a group. */
export const hasActiveWithRole = async (query: Query, tenant: TenantId, role: string): Promise<boolean> =>
  (
    await query.get(
      anybody,
      sql`/* authority.users.hasActiveWithRole */
      select exists (select from authority.users
        where tenant = ${tenant} and active and ${role} = any(roles || group_roles)) as is_there`,
    )
  ).isThere;
