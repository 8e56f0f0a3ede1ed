import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { boolean, id, type RowOf, table, text } from '@landfall/kernel/db/table';
import type { UserId } from '../users/users.store.ts';
import type { ProviderId } from './providers.store.ts';

const identities = table('authority.external_identities', { userId: id('User'), subject: text });
const candidates = table('authority.users candidate', {
  id: id('User'),
  hasPassword: boolean,
  /** A directory made the person, and vouches for the name. */
  isProvisioned: boolean,
  /** Known to this provider already, under another subject. */
  isLinked: boolean,
});

/** Somebody of the user name that a provider says, who is not linked to what it calls them. */
export type Candidate = RowOf<typeof candidates>;

/** Whom a provider means: a subject is the provider's own and never another person's (OpenID Connect Core 2). */
export interface Subject {
  readonly providerId: ProviderId;
  readonly subject: string;
}

export const find = (query: Query, tenant: TenantId, { providerId, subject }: Subject) =>
  query.find(
    identities,
    sql`/* authority.external_identities.find */
    select ${identities.columns} from authority.external_identities
    where tenant = ${tenant} and provider_id = ${providerId} and subject = ${subject}`,
  );

export const findCandidate = (tx: Tx, tenant: TenantId, username: string, providerId: ProviderId) =>
  tx.find(
    candidates,
    sql`/* authority.users.findCandidate */
    select u.id, u.password_hash is not null as has_password,
      exists (select from authority.scim_users s
        where s.tenant = u.tenant and s.user_id = u.id and s.is_provisioned and s.deleted_at is null) as is_provisioned,
      exists (select from authority.external_identities e
        where e.tenant = u.tenant and e.user_id = u.id and e.provider_id = ${providerId}) as is_linked
    from authority.users u where u.tenant = ${tenant} and u.username = ${username}
    for update of u`,
  );

export const insert = (tx: Tx, tenant: TenantId, { providerId, subject }: Subject, userId: UserId): Promise<number> =>
  tx.run(sql`/* authority.external_identities.insert */
    insert into authority.external_identities (tenant, provider_id, subject, user_id)
    values (${tenant}, ${providerId}, ${subject}, ${userId})`);

export const see = (tx: Tx, tenant: TenantId, { providerId, subject }: Subject): Promise<number> =>
  tx.run(sql`/* authority.external_identities.see */
    update authority.external_identities set last_seen_at = kernel.now()
    where tenant = ${tenant} and provider_id = ${providerId} and subject = ${subject}`);

/** Whoever a provider means by somebody who was deleted may come again as another person. */
export const forgetPerson = (tx: Tx, tenant: TenantId, userId: UserId): Promise<number> =>
  tx.run(sql`/* authority.external_identities.forgetPerson */
    delete from authority.external_identities where tenant = ${tenant} and user_id = ${userId}`);
