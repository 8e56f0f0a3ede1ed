import type { TenantId } from '../core/ids.ts';
import type { Destination, Egress } from '../system/egress.ts';
import type { DecisionCounts } from './decision-counts.ts';
import { normalHost } from './host.ts';
import type { LoadedPolicies, TenantPolicy } from './loaded-policies.ts';
import type { BlockReason, NormalDestination } from './policy.ts';

interface EnforcedEgressOptions {
  readonly policies: Pick<LoadedPolicies, 'of' | 'sealed' | 'isCurrent' | 'revision'>;
  /** Policy beneath, which holds sealed or not. */
  readonly base: Egress;
  /** The installation's own services, as `host:port` (ruling 44): sealed or not, they are reached. */
  readonly own: ReadonlySet<string>;
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

  /** First block of a sealed state, else the first reason that a state would block for. */
  const judge = (asked: NormalDestination, tenant: TenantId | undefined) => {
    let advice: BlockReason | undefined;
    for (const state of statesOf(tenant)) {
      const reason = state.judge(asked);
      if (reason !== undefined && state.isSealed) return { reason, state };
      advice ??= reason;
    }
    return { reason: advice };
  };

  return {
    revision: () => policies.revision(),
    decide(destination) {
      const { tenant, feature = 'platform' } = destination;
      const host = normalHost(destination.host);
      const address = destination.address === undefined ? undefined : normalHost(destination.address);
      if (host === undefined || (destination.address !== undefined && address === undefined))
        return block('host_invalid', destination, undefined);
      if (own.has(`${host}:${destination.port}`)) return base.decide(destination);
      if (!policies.isCurrent()) return block('policy_not_loaded', destination, undefined);
      const asked: NormalDestination = { ...destination, host, address };
      const { reason, state } = judge(asked, tenant);
      // The address of a name is not recorded: the record would map the server's network for a tenant.
      if (address === undefined) counts.add({ ...asked, tenant, feature }, reason, state !== undefined);
      return reason && state ? block(reason, { ...destination, host }, state) : base.decide(destination);
    },
  };
};
