import { systemCaller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { type TenantId, toTenantId } from '@landfall/kernel/core/ids';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { domainConflict, providerEvent } from './domain-proof.ts';
import * as domains from './domains.store.ts';
import * as providers from './providers.store.ts';

const notClaimed = (tenant: string, domain: string): Fault =>
  new Fault(
    'RES_NOT_FOUND',
    `No identity provider of ${tenant} has the domain ${domain}. Add it to a provider of the tenant first.`,
  );

/** Assigns domains without DNS, for domains that are not public; the events name `by` as their actor. */
export const createDomainAssignments = ({ database, ids }: Pick<Deps, 'database' | 'ids'>, by: string) => {
  const change = (
    slug: string,
    domain: string,
    write: (tx: Tx, tenant: TenantId) => Promise<unknown>,
    isProven: boolean,
  ): Promise<void> => {
    const tenant = toTenantId(slug);
    return database.write(tenant, async (tx) => {
      const claim = await domains.find(tx, tenant, domain);
      const provider = claim && (await providers.findLocked(tx, tenant, claim.providerId));
      if (!provider) throw notClaimed(slug, domain);
      await write(tx, tenant);
      const caller = systemCaller(tenant, by, ids.uuid());
      await providerEvent(tx, caller, 'identityProvider.assignDomain', provider, { domain, isProven });
    });
  };

  return {
    /** @throws Fault RES_NOT_FOUND, RES_ALREADY_EXISTS when another tenant has proven the domain */
    assign: (slug: string, domain: string): Promise<void> =>
      change(
        slug,
        domain,
        (tx, tenant) =>
          onConflict(
            domains.prove(tx, tenant, domain, 'operator'),
            'identity_provider_domains_one',
            domainConflict(domain),
          ),
        true,
      ),

    /** Withdraws any proof of the domain. */
    withdraw: (slug: string, domain: string): Promise<void> =>
      change(slug, domain, (tx, tenant) => domains.disprove(tx, tenant, domain, 'The operator withdrew it.'), false),
  };
};
