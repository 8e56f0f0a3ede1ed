import { systemCaller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Tx } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import type { ResolveTxt } from '@landfall/kernel/system/dns';
import * as store from './domains.store.ts';
import * as providers from './providers.store.ts';

export const providerEvent = eventsOf('IdentityProvider');

/** Claimed domain as administrators see it, with the DNS record that proves it. */
export interface DomainClaim extends Omit<store.ClaimedDomain, 'token' | 'providerId'> {
  readonly record: string;
}

const recordOf = ({ token }: Pick<store.ClaimedDomain, 'token'>): string => `landfall-domain-verification=${token}`;

export const claimViewOf = ({ token, providerId: _provider, ...claim }: store.ClaimedDomain): DomainClaim => ({
  ...claim,
  record: recordOf({ token }),
});

export const domainConflict = (domain: string) => (): Fault =>
  new Fault(
    'RES_ALREADY_EXISTS',
    `Another tenant has proven that ${domain} is its own. Ask the operator of this installation.`,
    { domain },
  );

/** Result of a DNS lookup, decided before any transaction. */
type Finding =
  | { readonly kind: 'proven' }
  | { readonly kind: 'missing'; readonly problem: string }
  | { readonly kind: 'unknown'; readonly problem: string };

/** Looks up the record of a claim. The records found are not disclosed: name servers may know internal ones. */
export const lookUpProof = async (
  resolveTxt: ResolveTxt,
  claim: Pick<store.ClaimedDomain, 'domain' | 'token'>,
): Promise<Finding> => {
  const answer = await resolveTxt(claim.domain);
  if (answer.kind === 'unanswered')
    return { kind: 'unknown', problem: `DNS could not be asked for ${claim.domain}: ${answer.reason}. Try again.` };
  if (answer.records.includes(recordOf(claim))) return { kind: 'proven' };
  const count = answer.records.length;
  return {
    kind: 'missing',
    problem: `None of the ${count} TXT ${count === 1 ? 'record' : 'records'} of ${claim.domain} is the one to publish. A new record may take an hour to be seen.`,
  };
};

/** Ends another tenant's DNS proof of a domain whose record is gone, so that a new owner can claim it. */
export const endFormerProof = async (
  { database, ids }: Pick<Deps, 'database' | 'ids'>,
  resolveTxt: ResolveTxt,
  { tenant, domain }: { readonly tenant: TenantId; readonly domain: string },
): Promise<void> => {
  const holder = await database.system.read((query) => store.findHolder(query, domain));
  if (!holder || holder.tenant === tenant || holder.provenBy !== 'dns') return;
  const finding = await lookUpProof(resolveTxt, holder);
  if (finding.kind !== 'missing') return;
  await database.write(holder.tenant, async (tx) => {
    const found = await store.find(tx, holder.tenant, domain);
    const provider = found && (await providers.findLocked(tx, holder.tenant, found.providerId));
    const claim = await store.find(tx, holder.tenant, domain);
    if (!provider || claim?.token !== holder.token || claim.provenBy !== 'dns') return;
    await store.disprove(tx, holder.tenant, domain, finding.problem);
    const caller = systemCaller(holder.tenant, 'domain-proof', ids.uuid());
    const data = { domain, isProven: false, found: finding.kind };
    await providerEvent(tx, caller, 'identityProvider.verifyDomain', provider, data);
  });
};

/** Writes the result of a lookup; throws Fault RES_ALREADY_EXISTS when another tenant has proven the domain. */
export const applyFinding = async (
  tx: Tx,
  tenant: TenantId,
  { domain, provenBy }: store.ClaimedDomain,
  finding: Finding,
): Promise<void> => {
  if (finding.kind === 'proven') {
    const proven = store.prove(tx, tenant, domain, provenBy ?? 'dns');
    await onConflict(proven, 'identity_provider_domains_one', domainConflict(domain));
  } else if (finding.kind === 'missing' && provenBy !== 'operator')
    await store.disprove(tx, tenant, domain, finding.problem);
  else await store.noteProblem(tx, tenant, domain, finding.problem);
};
