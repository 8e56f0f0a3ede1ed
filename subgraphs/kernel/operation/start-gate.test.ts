import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePolicy } from '../egress/policy.ts';
import { caller, people } from '../testing/callers.ts';
import { createStartGate } from './start-gate.ts';

const POLICY = {
  allowLoopback: true,
  allowPrivateNetworks: false,
  allowRules: [],
  remediationDocumentationUrl: null,
  supportContact: null,
};

const gate = createStartGate({
  of: (tenant) =>
    tenant === 'acme'
      ? { tenant, isSealed: true, policy: POLICY, judge: compilePolicy(POLICY), blockedReason: 'anchor_unknown' }
      : undefined,
});

const write = { kind: 'write', scope: ['orch:operate'] } as const;

test('a blocked tenant’s people and clients change nothing', () => {
  assert.throws(() => gate(people.operator, write), { code: 'airgap_startup_blocked' });
});

test('reads, agents, other tenants, the authority and the air gap go on', () => {
  for (const [who, spec] of [
    [people.operator, { kind: 'read', scope: ['orch:read'] }],
    [people['other-tenant'], write],
    [people['airgap-operator'], { kind: 'write', scope: ['airgap:seal'] }],
    [people.operator, { kind: 'write', scope: ['authority:admin'] }],
    [caller({ subject: 'agent', kind: 'agent' }), { kind: 'write', scope: [] }],
    [people.nobody, write],
  ] as const)
    assert.equal(gate(who, spec), who);
});
