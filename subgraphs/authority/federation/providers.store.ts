import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, bytes, id, instant, integer, tenantId, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

export type ProviderId = Id<'IdentityProvider'>;

const columns = {
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
};

const providers = table('authority.identity_providers', columns, { noun: 'identity provider' });

export const { find, findLocked, getLocked, insert, update, remove } = providers;

const claims = table('authority.identity_provider_domains', { tenant: tenantId, providerId: id('IdentityProvider') });
/** A provider with its client secret, sealed. */
export type Provider = RowOf<typeof providers>;

export const list = (query: Query, tenant: TenantId) =>
  providers.listWhere(query, 'list', sql`tenant = ${tenant} order by lower(name)`);

/** Finds the provider of a domain. Role `landfall_system`: a user name does not name its tenant. */
export const findByDomain = (query: Query, domain: string) =>
  claims.findWhere(query, 'find', sql`domain = ${domain} and active and proven_at is not null`);

/** Whether any provider has a proven domain. Role `landfall_system`. */
export const isAnyOffered = (query: Query): Promise<boolean> =>
  claims.existsWhere(query, 'isAny', sql`active and proven_at is not null`);

/**
 * Replaces the claimed domains of the provider; new ones are unproven. A domain belongs to one provider of a tenant.
 */
export const claimDomains = async (tx: Tx, tenant: TenantId, is: Pick<Provider, 'id' | 'domains' | 'active'>) => {
  await claims.removeWhere(
    tx,
    'release',
    sql`tenant = ${tenant} and provider_id = ${is.id} and not (domain = any(${is.domains}::text[]))`,
  );
  await tx.run(sql`/* authority.identity_provider_domains.claim */
    insert into authority.identity_provider_domains (tenant, provider_id, domain, active)
    select ${tenant}, ${is.id}, domain, ${is.active} from unnest(${is.domains}::text[]) domain
    on conflict (tenant, provider_id, domain) do update set active = excluded.active`);
};
