import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import {
  boolean,
  bytes,
  id,
  instant,
  integer,
  type RowOf,
  table,
  tenantId,
  text,
  textArray,
} from '@landfall/kernel/db/table';

export type ProviderId = Id<'IdentityProvider'>;

const providers = table('authority.identity_providers', {
  tenant: tenantId,
  id: id('IdentityProvider'),
  name: text,
  issuer: text,
  clientId: text,
  sealedSecret: bytes,
  scopes: textArray,
  domains: textArray,
  groupsClaim: text,
  createsUsers: boolean,
  active: boolean,
  createdAt: instant,
  version: integer,
});
const claims = table('authority.identity_provider_domains', { tenant: tenantId, providerId: id('IdentityProvider') });
const offers = table('authority.identity_provider_domains any', { isOffered: boolean });

/** A provider with its client secret, sealed. */
export type Provider = RowOf<typeof providers>;

/** What is trusted of a provider. */
export type ProviderTrust = Omit<Provider, 'tenant' | 'createdAt' | 'version'>;

export const find = (query: Query, tenant: TenantId, providerId: ProviderId) =>
  query.find(
    providers,
    sql`/* authority.identity_providers.find */
    select ${providers.columns} from authority.identity_providers where tenant = ${tenant} and id = ${providerId}`,
  );

export const lock = (tx: Tx, tenant: TenantId, providerId: ProviderId) =>
  tx.find(
    providers,
    sql`/* authority.identity_providers.lock */
    select ${providers.columns} from authority.identity_providers
    where tenant = ${tenant} and id = ${providerId} for update`,
  );

export const list = (query: Query, tenant: TenantId) =>
  query.list(
    providers,
    sql`/* authority.identity_providers.list */
    select ${providers.columns} from authority.identity_providers where tenant = ${tenant} order by lower(name)`,
  );

/** Whose provider a domain is sent to. Role `landfall_system`: a user name does not name its tenant. */
export const findByDomain = (query: Query, domain: string) =>
  query.find(
    claims,
    sql`/* authority.identity_provider_domains.find */
    select ${claims.columns} from authority.identity_provider_domains where domain = ${domain} and active and proven_at is not null`,
  );

/** Whether any domain is sent anywhere. Role `landfall_system`. */
export const isAnyOffered = async (query: Query): Promise<boolean> =>
  (
    await query.get(
      offers,
      sql`/* authority.identity_provider_domains.isAny */
      select exists (
        select from authority.identity_provider_domains where active and proven_at is not null) as is_offered`,
    )
  ).isOffered;

export const insert = (tx: Tx, tenant: TenantId, is: ProviderTrust): Promise<Provider> =>
  tx.get(
    providers,
    sql`/* authority.identity_providers.insert */
    insert into authority.identity_providers
      (tenant, id, name, issuer, client_id, sealed_secret, scopes, domains, groups_claim, creates_users, active)
    values (${tenant}, ${is.id}, ${is.name}, ${is.issuer}, ${is.clientId}, ${is.sealedSecret}, ${is.scopes},
      ${is.domains}, ${is.groupsClaim}, ${is.createsUsers}, ${is.active})
    returning ${providers.columns}`,
  );

export const update = (tx: Tx, tenant: TenantId, is: ProviderTrust): Promise<Provider> =>
  tx.get(
    providers,
    sql`/* authority.identity_providers.update */
    update authority.identity_providers set name = ${is.name}, client_id = ${is.clientId},
      sealed_secret = ${is.sealedSecret}, scopes = ${is.scopes}, domains = ${is.domains},
      groups_claim = ${is.groupsClaim}, creates_users = ${is.createsUsers}, active = ${is.active}, version = version + 1
    where tenant = ${tenant} and id = ${is.id}
    returning ${providers.columns}`,
  );

export const remove = (tx: Tx, tenant: TenantId, providerId: ProviderId): Promise<number> =>
  tx.run(sql`/* authority.identity_providers.remove */
    delete from authority.identity_providers where tenant = ${tenant} and id = ${providerId}`);

/** Makes the claimed domains those of the provider; new ones are unproven. A domain is one provider's of its tenant. */
export const claimDomains = async (tx: Tx, tenant: TenantId, is: Pick<ProviderTrust, 'id' | 'domains' | 'active'>) => {
  await tx.run(sql`/* authority.identity_provider_domains.release */
    delete from authority.identity_provider_domains
    where tenant = ${tenant} and provider_id = ${is.id} and not (domain = any(${is.domains}::text[]))`);
  await tx.run(sql`/* authority.identity_provider_domains.claim */
    insert into authority.identity_provider_domains (tenant, provider_id, domain, active)
    select ${tenant}, ${is.id}, domain, ${is.active} from unnest(${is.domains}::text[]) domain
    on conflict (tenant, provider_id, domain) do update set active = excluded.active`);
};
