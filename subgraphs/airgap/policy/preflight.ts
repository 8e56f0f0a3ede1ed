import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { ConfiguredDestination, DestinationDirectory } from '@landfall/kernel/egress/configured';
import { listDestinations } from '@landfall/kernel/egress/decisions.store';
import { normalHost } from '@landfall/kernel/egress/host';
import { find } from '@landfall/kernel/egress/policies.store';
import { compilePolicy } from '@landfall/kernel/egress/policy';
import type { PolicyDocument } from '@landfall/kernel/egress/policy-document';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { AIRGAP_READ } from '../shared/scopes.ts';
import { policyInput, policyOf } from './policy-input.ts';

/** Destinations of the record that a preflight shows. */
const MAX_RECORDED = 2_000;

/** Policy of a tenant that has none: nothing passes a seal. */
const NOTHING: PolicyDocument = {
  allowLoopback: false,
  allowPrivateNetworks: false,
  allowRules: [],
  remediationDocumentationUrl: null,
  supportContact: null,
};

/** Destination of a seal's preflight. */
interface PreflightDestination {
  readonly feature: string;
  /** Setting, integration or channel that names it; null for traffic of the record alone. */
  readonly source: string | null;
  readonly host: string;
  readonly port: number;
  readonly transport: 'tcp' | 'udp' | 'http' | 'https';
  readonly allowed: boolean;
  /** Reason why it would break. */
  readonly reason: string | null;
  readonly lastSeenAt: Date | null;
}

interface PreflightDeps extends Pick<Deps, 'operation'> {
  readonly destinations: DestinationDirectory;
}

const keyOf = ({ host, port, transport, feature }: Omit<ConfiguredDestination, 'source'>): string =>
  [feature, host, port, transport].join(' ');

/** Creates the preflight of a seal: what it would let pass and break, by the record and by the configuration. */
export const createPreflight = ({ operation, destinations }: PreflightDeps) => {
  const list = async (query: Query, tenant: TenantId, policy: PolicyDocument): Promise<PreflightDestination[]> => {
    const judge = compilePolicy(policy);
    const configured = await destinations(query, tenant);
    const recorded = await listDestinations(query, tenant, { limit: MAX_RECORDED });
    const known = new Set(configured.map(keyOf));
    const seen = new Map(recorded.map((each) => [keyOf(each), each.lastAt]));
    const all = [
      ...configured,
      ...recorded.flatMap((each) => (known.has(keyOf(each)) ? [] : [{ ...each, source: null }])),
    ];
    return all.map((each) => {
      const host = normalHost(each.host);
      const reason = host === undefined ? 'host_invalid' : (judge({ ...each, host, address: undefined }) ?? null);
      const { feature, source, port, transport } = each;
      const lastSeenAt = seen.get(keyOf(each)) ?? null;
      return { feature, source, host: each.host, port, transport, allowed: reason === null, reason, lastSeenAt };
    });
  };

  return operation({
    name: 'airGap.preflight',
    kind: 'read',
    scope: AIRGAP_READ,
    input: Type.Object({ policy: Type.Optional(policyInput) }),
    cost: 50,
    async run({ tenant }, { policy }, query) {
      const stored = await find(query, tenant);
      const judged = policy ? policyOf(policy) : stored?.policy;
      const found = await list(query, tenant, judged ?? NOTHING);
      return {
        hasPolicy: judged !== undefined && judged !== null,
        breaking: found.filter(({ allowed }) => !allowed).length,
        destinations: found.toSorted(
          (a, b) => Number(a.allowed) - Number(b.allowed) || keyOf(a).localeCompare(keyOf(b), 'en'),
        ),
      };
    },
  });
};
