import type { TenantId } from '../core/ids.ts';
import type { Destination, Egress } from '../system/egress.ts';
import type { DecisionCounts } from './decision-counts.ts';
import { normalHost } from './host.ts';
import { type AskedDestination, isOwnService, judgeBy, type OwnServices } from './judgement.ts';
import type { LoadedPolicies, TenantPolicy } from './loaded-policies.ts';
import type { BlockReason } from './policy.ts';

interface EnforcedEgressOptions {
  readonly policies: Pick<LoadedPolicies, 'of' | 'sealed' | 'isCurrent' | 'revision' | 'onChange'>;
  /** Policy beneath, which holds sealed or not. */
  readonly base: Egress;
  /** The installation's own services: sealed or not, they are reached. */
  readonly own: OwnServices;
  readonly counts: Pick<DecisionCounts, 'add'>;
}

const WORDS: Readonly<Record<BlockReason, string>> = {
  host_invalid: 'the host cannot be read',
  policy_not_loaded: 'the egress policies could not be read; traffic goes on when the database answers',
  no_rule_matches: 'no rule of the egress policy allows it',
  loopback_not_allowed: 'the egress policy does not allow this machine',
  private_network_not_allowed: 'the egress policy does not allow private networks',
  special_address_not_allowed: 'a link-local or reserved address needs a rule of its own',
};

/** Block error (spec 2.7): the decision, and where help is. */
const block = (
  reason: BlockReason,
  { host, port, transport }: Pick<Destination, 'host' | 'port' | 'transport'>,
  state: Pick<TenantPolicy, 'isSealed' | 'policy'> | undefined,
) => {
  const { remediationDocumentationUrl = null, supportContact = null } = state?.policy ?? {};
  const help = [remediationDocumentationUrl, supportContact].filter((text) => text !== null);
  const cause = state?.isSealed ? 'the environment is sealed, and ' : '';
  return {
    allowed: false,
    reason: `${host}:${port} (${transport}) is blocked: ${cause}${WORDS[reason]}.${help.length > 0 ? ` See ${help.join(', ')}.` : ''}`,
    slug: reason,
    details: {
      mode: state?.isSealed ? 'Sealed' : 'Unsealed',
      host,
      port,
      transport,
      reason,
      remediationDocumentationUrl,
      supportContact,
    },
  } as const;
};

/**
 * Egress policy of an installation: the tenant's own policy, for traffic of no tenant the policy of every sealed tenant
 * (ruling 44), and the base policy beneath both. A decision is synchronous, and blocks while the policies are not read.
 */
export const createEnforcedEgress = ({ policies, base, own, counts }: EnforcedEgressOptions): Egress => {
  const statesOf = (tenant: TenantId | undefined): readonly TenantPolicy[] => {
    if (tenant === undefined) return policies.sealed();
    const state = policies.of(tenant);
    return state ? [state] : [];
  };

  /** Decision about what is not the installation's own. */
  const judge = (asked: AskedDestination & Pick<Destination, 'namedBy' | 'isAgain'>): ReturnType<Egress['decide']> => {
    const { tenant, address, isAgain = false } = asked;
    const isRecorded = address === undefined && !isAgain;
    if (!policies.isCurrent()) return block('policy_not_loaded', asked, undefined);
    // The reasons of a seal would map the server's network for a tenant that the base policy keeps out of it.
    const resolved = address === undefined ? undefined : base.decide(asked);
    if (resolved?.allowed === false) return resolved;
    const { reason, state } = judgeBy(statesOf(tenant), asked);
    if (isRecorded) counts.add(asked, reason, state ? 'blocked' : 'allowed');
    if (reason && state) return block(reason, asked, state);
    const beneath = resolved ?? base.decide(asked);
    return beneath.allowed && reason ? { ...beneath, slug: reason } : beneath;
  };

  return {
    revision: () => policies.revision(),
    onChange: (listener) => policies.onChange(listener),
    decide(destination) {
      const host = normalHost(destination.host);
      const address = destination.address === undefined ? undefined : normalHost(destination.address);
      if (host === undefined || (destination.address !== undefined && address === undefined))
        return block('host_invalid', destination, undefined);
      const asked = { ...destination, host, address, feature: destination.feature ?? 'platform' };
      if (!isOwnService(own, asked)) return judge(asked);
      const isRecorded = address === undefined && !asked.isAgain && asked.tenant !== undefined;
      if (isRecorded) counts.add(asked, undefined, 'allowed');
      return base.decide(asked);
    },
    // The name is recorded, and no address: the record would map the server's network for a tenant.
    resolved(destination, decisions) {
      const host = normalHost(destination.host);
      const [slug] = decisions.map((decision) => decision.slug);
      if (host === undefined || decisions.some((decision) => decision.slug === undefined)) return;
      const isBlocked = decisions.every(({ allowed }) => !allowed);
      counts.add(
        { ...destination, host, feature: destination.feature ?? 'platform' },
        slug,
        isBlocked ? 'blocked' : undefined,
      );
    },
  };
};
