import type { TenantId } from '@landfall/kernel/core/ids';
import { boolean, id, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { UserId } from '../users/users.ts';
import type { ProviderId } from './providers.store.ts';

const identities = table('authority.external_identities', {
  providerId: id('IdentityProvider'),
  subject: text,
  userId: id('User'),
});

export const { insert } = identities;
const candidates = table('authority.users candidate', {
  id: id('User'),
  hasPassword: boolean,
  /** Whether a directory created the person and states the name. */
  isProvisioned: boolean,
  /** Whether the person is linked to this provider under another subject. */
  isLinked: boolean,
});

/** Person with the user name that a provider states, not linked to the provider's subject. */
export type Candidate = RowOf<typeof candidates>;

/** Subject of a provider, never reassigned to another person (OpenID Connect Core 2). */
export interface Subject {
  readonly providerId: ProviderId;
  readonly subject: string;
}

export const find = (query: Query, tenant: TenantId, { providerId, subject }: Subject) =>
  identities.findWhere(query, 'find', sql`tenant = ${tenant} and provider_id = ${providerId} and subject = ${subject}`);

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

export const see = (tx: Tx, tenant: TenantId, { providerId, subject }: Subject): Promise<number> =>
  tx.run(sql`/* authority.external_identities.see */
    update authority.external_identities set last_seen_at = kernel.now()
    where tenant = ${tenant} and provider_id = ${providerId} and subject = ${subject}`);

/** Deletes the links of a person, so that the provider's subject can become another person. */
export const removeLinksOfPerson = (tx: Tx, tenant: TenantId, userId: UserId): Promise<number> =>
  identities.removeWhere(tx, 'removeLinksOfPerson', sql`tenant = ${tenant} and user_id = ${userId}`);
