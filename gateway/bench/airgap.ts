// Cost of an egress decision with 200 rules, in microseconds of one processor.
import { toTenantId } from '@landfall/kernel/core/ids';
import { createDecisionCounts } from '@landfall/kernel/egress/decision-counts';
import { createEnforcedEgress } from '@landfall/kernel/egress/enforced-egress';
import { compilePolicy } from '@landfall/kernel/egress/policy';
import { parseSubnets } from '@landfall/kernel/system/address';
import { type Destination, guarded } from '@landfall/kernel/system/egress';
import { createReport } from './figure.ts';
import { median } from './statistics.ts';

const ROUNDS = 7;
const CALLS = 50_000;
const GOAL = { atMost: 5 };

const tenant = toTenantId('acme');
const patternOf = (index: number): string =>
  [`host${index}.example`, `*.zone${index}.example`, `10.${index}.0.0/16`, `192.0.2.${index}`][index % 4] ?? '';

const policy = {
  allowLoopback: true,
  allowPrivateNetworks: false,
  allowRules: Array.from({ length: 200 }, (_, index) => ({
    hostPattern: patternOf(index),
    port: 443,
    transport: null,
  })),
  remediationDocumentationUrl: null,
  supportContact: null,
};
const state = { tenant, isSealed: true, policy, judge: compilePolicy(policy), blockedReason: null };

const egress = createEnforcedEgress({
  policies: {
    of: () => state,
    sealed: () => [state],
    isCurrent: () => true,
    revision: () => 1,
    onChange: () => () => undefined,
  },
  base: guarded({ ownPorts: new Set(), privateNetworks: parseSubnets('bench', ['10.0.0.0/8']), allowPrivate: false }),
  own: { services: new Set(), objectStore: new Set() },
  counts: createDecisionCounts(),
});

/** Median processor time of a decision over several rounds, in microseconds. */
const costOf = (destination: Destination): number => {
  const rounds: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let call = 0; call < CALLS; call++) egress.decide(destination);
    const { user, system } = process.cpuUsage(before);
    rounds.push((user + system) / CALLS);
  }
  return median(rounds.slice(1));
};

const { tell } = createReport('airgap');
const https = { port: 443, transport: 'https' } as const;

tell('decision on an allowed name', costOf({ host: 'a.b.zone197.example', ...https, tenant }), 'µs', GOAL);
tell('decision on a blocked name', costOf({ host: 'a.b.c.outside.test', ...https, tenant }), 'µs', GOAL);
tell('decision on an international name', costOf({ host: 'BÜCHER.example', ...https, tenant }), 'µs', GOAL);
tell('decision on a blocked address', costOf({ host: '203.0.114.7', ...https, tenant }), 'µs', GOAL);
tell('decision on a blocked IPv6 address', costOf({ host: '2606:4700::1111', ...https, tenant }), 'µs', GOAL);
tell('decision on an allowed address of a tenant', costOf({ host: '192.0.2.195', ...https, tenant }), 'µs', GOAL);
tell('decision on an allowed address of no tenant', costOf({ host: '192.0.2.195', ...https }), 'µs', GOAL);
