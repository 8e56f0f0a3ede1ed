import type { TenantId } from '@landfall/kernel/core/ids';
import { boolean, count, id, textArray } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const signInMethods = table('authority.users ways in', {
  userId: id('User'),
  password: boolean,
  totp: boolean,
  passkeys: count,
  identityProviders: textArray,
  provisioned: boolean,
  pendingLink: boolean,
});

export type SignInMethods = RowOf<typeof signInMethods>;

/** Reads the sign-in methods of several people in one statement. */
export const listSignInMethods = (query: Query, tenant: TenantId, userIds: readonly string[]) =>
  query.list(
    signInMethods,
    sql`/* authority.users.signInMethods */
    select u.id as user_id, u.password_hash is not null as password,
      exists (select from authority.totp_secrets t
        where t.tenant = u.tenant and t.user_id = u.id and t.confirmed_at is not null) as totp,
      (select count(*) from authority.passkeys p where p.tenant = u.tenant and p.user_id = u.id) as passkeys,
      array(select p.name from authority.external_identities e
        join authority.identity_providers p on p.tenant = e.tenant and p.id = e.provider_id
        where e.tenant = u.tenant and e.user_id = u.id order by p.name) as identity_providers,
      exists (select from authority.scim_users s
        where s.tenant = u.tenant and s.user_id = u.id and s.deleted_at is null) as provisioned,
      exists (select from authority.account_links l
        where l.tenant = u.tenant and l.user_id = u.id and l.consumed_at is null
          and l.expires_at > kernel.now()) as pending_link
    from authority.users u
    where u.tenant = ${tenant} and u.id = any(${userIds}::uuid[])`,
  );
