import type { TenantId } from '@landfall/kernel/core/ids';
import { id, instant, oneOf, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { ProviderId } from './providers.store.ts';

export const DOMAIN_PROOFS = ['dns', 'operator'] as const;

const domains = table('authority.identity_provider_domains claimed', {
  providerId: id('IdentityProvider'),
  domain: text,
  token: text,
  provenBy: oneOf(...DOMAIN_PROOFS).nullable(),
  provenAt: instant.nullable(),
  checkedAt: instant.nullable(),
  problem: text.nullable(),
});

/** Domain that a provider claims, and its proof. */
export type ClaimedDomain = RowOf<typeof domains>;

export const listByTenant = (query: Query, tenant: TenantId) =>
  domains.listWhere(query, 'list', sql`tenant = ${tenant} order by domain`);

export const find = (query: Query, tenant: TenantId, domain: string) =>
  domains.findWhere(query, 'findClaim', sql`tenant = ${tenant} and domain = ${domain}`);

const holders = table('authority.identity_provider_domains holder', {
  tenant: tenantId,
  domain: text,
  token: text,
  provenBy: oneOf(...DOMAIN_PROOFS).nullable(),
});

/** Finds the tenant that has proven a domain. Role `landfall_system`. */
export const findHolder = (query: Query, domain: string) =>
  holders.findWhere(query, 'findHolder', sql`domain = ${domain} and proven_at is not null`);

/** Proven domains of a provider: it may state user names below them. */
export const listProven = async (query: Query, tenant: TenantId, providerId: ProviderId): Promise<readonly string[]> =>
  (
    await domains.listWhere(
      query,
      'listProven',
      sql`tenant = ${tenant} and provider_id = ${providerId} and proven_at is not null`,
    )
  ).map(({ domain }) => domain);

/** Records a proof. A domain that another tenant has proven is a conflict of `identity_provider_domains_one`. */
export const prove = (tx: Tx, tenant: TenantId, domain: string, by: (typeof DOMAIN_PROOFS)[number]): Promise<number> =>
  tx.run(sql`/* authority.identity_provider_domains.prove */
    update authority.identity_provider_domains
    set proven_by = ${by}, proven_at = kernel.now(), checked_at = kernel.now(), problem = null
    where tenant = ${tenant} and domain = ${domain}`);

/** Withdraws a proof with its reason. */
export const disprove = (tx: Tx, tenant: TenantId, domain: string, problem: string | null): Promise<number> =>
  tx.run(sql`/* authority.identity_provider_domains.disprove */
    update authority.identity_provider_domains
    set proven_by = null, proven_at = null, checked_at = kernel.now(), problem = ${problem}
    where tenant = ${tenant} and domain = ${domain}`);

/** Records that a look-up changed nothing. */
export const noteProblem = (tx: Tx, tenant: TenantId, domain: string, problem: string): Promise<number> =>
  tx.run(sql`/* authority.identity_provider_domains.noteProblem */
    update authority.identity_provider_domains set checked_at = kernel.now(), problem = ${problem}
    where tenant = ${tenant} and domain = ${domain}`);
