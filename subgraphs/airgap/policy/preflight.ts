import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { ConfiguredDestination, DestinationDirectory } from '@landfall/kernel/egress/configured';
import { listDestinations } from '@landfall/kernel/egress/decisions.store';
import { normalHost } from '@landfall/kernel/egress/host';
import { isOwnService, judgeBy, type OwnServices } from '@landfall/kernel/egress/judgement';
import { find, listAll } from '@landfall/kernel/egress/policies.store';
import { compilePolicy } from '@landfall/kernel/egress/policy';
import type { PolicyDocument } from '@landfall/kernel/egress/policy-document';
import { parsePattern } from '@landfall/kernel/egress/rule-index';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { AIRGAP_READ } from '../shared/scopes.ts';
import { policyInput, policyOf } from './policy-input.ts';

/** Destinations of the record that a preflight shows. */
const MAX_RECORDED = 2_000;

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

interface PreflightDeps extends Pick<Deps, 'operation' | 'database'> {
  readonly destinations: DestinationDirectory;
  readonly ownServices: OwnServices;
}

type Asked = Omit<ConfiguredDestination, 'source'> & { readonly isPlatform?: boolean };

const keyOf = ({ host, port, transport, feature, isPlatform = false }: Asked): string =>
  [feature, host, port, transport, isPlatform].join(' ');

/** Classes of addresses by the reason of their block. */
const isClassAllowed = new Map<string | null, (policy: PolicyDocument) => boolean>([
  ['loopback_not_allowed', ({ allowLoopback }) => allowLoopback],
  ['private_network_not_allowed', ({ allowPrivateNetworks }) => allowPrivateNetworks],
  ['special_address_not_allowed', () => false],
]);

/** Reason of the record for which the addresses of a name would be blocked still; a rule for addresses may allow them. */
const addressReason = (policy: PolicyDocument, reason: string | null): string | null =>
  isClassAllowed.get(reason)?.(policy) === false &&
  !policy.allowRules.some((rule) => parsePattern(rule)?.kind === 'network')
    ? reason
    : null;

const sealedBy = (policy: PolicyDocument) => ({ isSealed: true, judge: compilePolicy(policy) });

/** Creates the preflight of a seal: what it would let pass and break, by the record and by the configuration. */
export const createPreflight = ({ operation, database, destinations, ownServices }: PreflightDeps) => {
  /** Policies of the other sealed tenants, which the platform's own traffic obeys too (ruling 44). */
  const othersOf = async (tenant: TenantId) => {
    const states = await database.system.read(listAll);
    return states.flatMap((state) =>
      state.mode === 'sealed' && state.tenant !== tenant && state.policy ? [sealedBy(state.policy)] : [],
    );
  };

  const judging = async (tenant: TenantId, policy: PolicyDocument) => {
    const tried = [sealedBy(policy)];
    const all = [...tried, ...(await othersOf(tenant))];
    return (each: Asked, recorded: string | null): string | null => {
      const host = normalHost(each.host);
      if (host === undefined) return 'host_invalid';
      const asked = { ...each, host, address: undefined, tenant: each.isPlatform ? undefined : tenant };
      if (isOwnService(ownServices, asked)) return null;
      return judgeBy(each.isPlatform ? all : tried, asked).reason ?? addressReason(policy, recorded);
    };
  };

  const list = async (query: Query, tenant: TenantId) => {
    const configured = await destinations(query, tenant);
    const recorded = await listDestinations(query, tenant, { limit: MAX_RECORDED });
    const seen = new Map(recorded.map((each) => [keyOf(each), each]));
    const known = new Set(configured.map(keyOf));
    return [
      ...configured.map((each) => ({ each, source: each.source, record: seen.get(keyOf(each)) })),
      ...recorded.flatMap((each) => (known.has(keyOf(each)) ? [] : [{ each, source: null, record: each }])),
    ];
  };

  return operation({
    name: 'airGap.preflight',
    kind: 'read',
    isDetached: true,
    scope: AIRGAP_READ,
    input: Type.Object({ policy: Type.Optional(policyInput) }),
    cost: 50,
    async run({ tenant }, { policy }) {
      const { stored, all } = await database.read(tenant, async (query) => ({
        stored: await find(query, tenant),
        all: await list(query, tenant),
      }));
      const judged = policy ? policyOf(policy) : stored?.policy;
      // Nothing passes the seal of a tenant without a policy.
      const reasonOf = await judging(tenant, judged ?? policyOf({}));
      const found = all.map(({ each, source, record }): PreflightDestination => {
        const { feature, host, port, transport } = each;
        const reason = reasonOf(each, record?.reason ?? null);
        const lastSeenAt = record?.lastAt ?? null;
        return { feature, source, host, port, transport, allowed: reason === null, reason, lastSeenAt };
      });
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
