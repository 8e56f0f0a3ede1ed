import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import type { DestinationDirectory } from '@landfall/kernel/egress/configured';
import { add, type DecisionCount } from '@landfall/kernel/egress/decisions.store';
import { setBlocked, setPolicy } from '@landfall/kernel/egress/policies.store';
import { type PolicyDocument, policyDigest } from '@landfall/kernel/egress/policy-document';
import { people } from '@landfall/kernel/testing/callers';
import { airgapApp, operator, stranger, viewer } from '../testing/airgap-app.ts';

const events = table('kernel.events types', { type: text });

/** Meter that adds up its counters. */
const countingMeter = () => {
  const counts = new Map<string, number>();
  return {
    counts,
    meter: {
      counter: (name: string) => () => void counts.set(name, (counts.get(name) ?? 0) + 1),
      histogram: () => () => undefined,
      gauge: () => undefined,
    },
  };
};

const POLICY = { allowLoopback: true, allowRules: [{ hostPattern: '*.example', port: 443, transport: 'https' }] };

test('a seal needs a policy, and counts and records real moves only (spec: 3/seal, 3/unseal)', async () => {
  const { meter, counts } = countingMeter();
  await using app = await airgapApp(() => ({ meter }));
  const { seal } = app.module;

  await assert.rejects(seal.seal(operator, {}), { code: 'airgap_policy_required' });
  const sealed = await seal.seal(operator, { reason: 'delivery', policy: POLICY });
  assert.equal((await seal.seal(operator, { reason: 'again', policy: POLICY })).version, sealed.version);
  const unsealed = await seal.unseal(operator, { reason: 'done' });
  await seal.unseal(operator, {});

  assert.equal(sealed.mode, 'sealed');
  assert.equal(sealed.reason, 'delivery');
  assert.ok(sealed.policyDigest?.startsWith('sha256:'));
  assert.equal(unsealed.mode, 'unsealed');
  assert.deepEqual(
    [...counts],
    [
      ['airgap_seal_total', 1],
      ['airgap_unseal_total', 1],
    ],
  );
  const written = await app.rows(events, sql`/* kernel.events.types */ select type from kernel.events order by id`);
  assert.deepEqual(
    written.map(({ type }) => type),
    ['airGap.setPolicy', 'airGap.seal', 'airGap.unseal'],
  );
});

// spec: 2.7/policy-settings
test('a policy has switches for classes of addresses, rules by host, port and transport, and two texts of help', async () => {
  await using app = await airgapApp();
  const policy = {
    allowLoopback: true,
    allowPrivateNetworks: true,
    allowRules: [{ hostPattern: '*.example', port: 443, transport: 'HTTPS' }],
    remediationDocumentationUrl: 'https://wiki.example/egress',
    supportContact: 'ops@example.test',
  };
  const fields = `policy { allowLoopback allowPrivateNetworks allowRules { hostPattern port transport }
    remediationDocumentationUrl supportContact }`;
  const set = `mutation ($policy: EgressPolicyInput!) { setEgressPolicy(input: { policy: $policy }) { ${fields} } }`;
  const { data, errors } = await app.graph(set, { policy }, { as: operator });
  assert.equal(errors, undefined);
  assert.deepEqual(JSON.parse(JSON.stringify(data)).setEgressPolicy.policy, policy);
});

test('moves are compared with the version, need airgap:seal, and there is no airgap:verify (spec: 5/airgap-scopes)', async () => {
  await using app = await airgapApp();
  const { seal, verify } = app.module;
  await seal.setPolicy(operator, { policy: POLICY, expectedVersion: 0 });

  await assert.rejects(seal.setPolicy(operator, { policy: POLICY, expectedVersion: 0 }), {
    code: 'RES_VERSION_CONFLICT',
  });
  await assert.rejects(seal.seal(operator, { expectedVersion: 7 }), { code: 'RES_VERSION_CONFLICT' });
  await assert.rejects(seal.seal(viewer, {}), { code: 'PERM_SCOPE_DENIED' });
  await assert.rejects(verify(people.nobody, {}), { code: 'PERM_SCOPE_DENIED' });
  assert.equal((await verify(viewer, {})).valid, true);
});

test('of two first policies for the same version, one is set, and the other is a conflict', async () => {
  await using app = await airgapApp();
  const { setPolicy } = app.module.seal;
  const first = await Promise.allSettled(
    [true, false].map((allowLoopback) => setPolicy(operator, { policy: { allowLoopback }, expectedVersion: 0 })),
  );

  const refused = first.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
  assert.deepEqual(refused, ['RES_VERSION_CONFLICT']);
  assert.equal((await app.module.status(viewer, {})).version, 1);
});

test('sealing again replaces no policy: another one is a conflict, and the policy is set by itself', async () => {
  await using app = await airgapApp();
  const { seal } = app.module;
  const sealed = await seal.seal(operator, { policy: POLICY });

  await assert.rejects(seal.seal(operator, { policy: { allowLoopback: false } }), {
    code: 'RES_CONFLICT',
    details: { policyDigest: sealed.policyDigest },
  });
  assert.equal((await app.module.status(viewer, {})).version, sealed.version);
  const changed = await seal.setPolicy(operator, { policy: { allowLoopback: false } });
  assert.deepEqual([changed.mode, changed.version], ['sealed', sealed.version + 1]);
});

test('a block of a start does not outlive an unsealing that came before it, and unsealing again lifts one', async () => {
  await using app = await airgapApp();
  const { seal } = app.module;
  await seal.seal(operator, { policy: POLICY });
  await seal.unseal(operator, {});
  const changed = await app.deps.database.system.write((tx) => setBlocked(tx, operator.tenant, 'anchor_unknown'));
  assert.equal(changed, 0);
  await app.deps.database.write(operator.tenant, (tx) =>
    tx.run(sql`/* kernel.egress_policies.block */
      update kernel.egress_policies set blocked_reason = 'anchor_unknown' where tenant = 'acme'`),
  );
  assert.equal((await seal.unseal(operator, {})).blockedReason, null);
  assert.equal((await app.module.status(viewer, {})).blockedReason, null);
});

test('a pattern with a wildcard elsewhere, or for every host without a port, is refused by its place', async () => {
  await using app = await airgapApp();
  const allowRules = [{ hostPattern: 'a.example' }, { hostPattern: 'a.*' }, { hostPattern: '*' }];

  await assert.rejects(
    app.module.seal.setPolicy(operator, { policy: { allowRules } }),
    (error: { fields: { field: string }[] }) => {
      assert.deepEqual(
        error.fields.map(({ field }) => field),
        ['policy.allowRules.1.hostPattern', 'policy.allowRules.2.hostPattern'],
      );
      return true;
    },
  );
});

test('a preflight names by feature what a seal would break, of the record and of the configuration', async () => {
  await using app = await airgapApp(() => ({
    destinations: async () => [
      { feature: 'notifier', source: 'channel ops', host: 'hooks.test', port: 443, transport: 'https' },
      { feature: 'orchestrator', source: 'integration registry', host: 'r.example', port: 443, transport: 'https' },
    ],
  }));
  await app.module.seal.setPolicy(operator, { policy: POLICY });

  const { data } = await app.graph(
    '{ sealPreflight { breaking destinations { source host allowed reason } } }',
    {},
    { as: operator },
  );

  assert.deepEqual(JSON.parse(JSON.stringify(data)).sealPreflight, {
    breaking: 1,
    destinations: [
      { source: 'channel ops', host: 'hooks.test', allowed: false, reason: 'no_rule_matches' },
      { source: 'integration registry', host: 'r.example', allowed: true, reason: null },
    ],
  });
});

const NOTHING: PolicyDocument = {
  allowLoopback: false,
  allowPrivateNetworks: false,
  allowRules: [],
  remediationDocumentationUrl: null,
  supportContact: null,
};

const isPolicyValid = async ({ module }: Awaited<ReturnType<typeof airgapApp>>) =>
  (await module.verify(viewer, {})).checks.find(({ name }) => name === 'policy')?.valid;

test('a policy that was changed behind the service is found', async () => {
  await using app = await airgapApp();
  await app.module.seal.setPolicy(operator, { policy: POLICY });
  await app.deps.database.write(operator.tenant, (tx) =>
    tx.run(sql`/* kernel.egress_policies.tamper */
      update kernel.egress_policies set policy = policy || '{"allowPrivateNetworks": true}'::jsonb where tenant = 'acme'`),
  );

  assert.equal(await isPolicyValid(app), false);
});

test('a policy that was changed with its digest is found by the audit trail', async () => {
  await using app = await airgapApp();
  await app.module.seal.setPolicy(operator, { policy: POLICY });
  assert.equal(await isPolicyValid(app), true);
  await app.deps.database.write(operator.tenant, (tx) =>
    setPolicy(tx, operator.tenant, { policy: NOTHING, digest: policyDigest(NOTHING), actor: 'intruder' }),
  );
  assert.equal(await isPolicyValid(app), false);
});

test('a start while sealed without a usable anchor blocks the tenant, says so, and counts it', async () => {
  const { meter, counts } = countingMeter();
  await using app = await airgapApp(() => ({ meter }));
  await app.module.seal.seal(operator, { policy: POLICY });

  await app.module.checkStart();

  assert.equal((await app.module.status(viewer, {})).blockedReason, 'anchor_unknown');
  assert.match((await app.module.notes()).join(), /acme is sealed without a usable time anchor \(anchor_unknown\)/);
  assert.equal(counts.get('airgap_startup_blocked_total'), 1);
  assert.equal((await app.module.seal.unseal(operator, {})).blockedReason, null);
});

test('an import needs a usable anchor while sealed, and none otherwise', async () => {
  await using app = await airgapApp();
  const { importNow, seal } = app.module;

  assert.equal((await importNow(operator.tenant)).getTime(), app.deps.clock.now().getTime());
  await seal.seal(operator, { policy: POLICY });
  await assert.rejects(importNow(operator.tenant), { code: 'airgap_anchor_unusable' });
});

test('decisions are added up by destination, and those above the number of a day share one row', async () => {
  await using app = await airgapApp();
  const count = { port: 443, transport: 'https', feature: 'notifier', allowed: 1, blocked: 0, reason: null } as const;
  const record = (tenant: string, hosts: readonly string[], more: object = {}) =>
    app.deps.database.system.write((tx) =>
      add(
        tx,
        hosts.map((host) => ({ ...count, tenant, host, ...more })),
      ),
    );
  await record('acme', ['a.example']);
  await record('acme', ['a.example'], { blocked: 2, reason: 'no_rule_matches' });
  await record('*', ['feeds.example']);
  await record('globex', ['other.example']);

  const listed = await app.module.decisions(viewer, {});
  assert.deepEqual(
    listed
      .map(({ host, allowed, blocked, reason, isPlatform }) => [host, allowed, blocked, reason, isPlatform])
      .toSorted(),
    [
      ['a.example', 2, 2, 'no_rule_matches', false],
      ['feeds.example', 1, 0, null, true],
    ],
  );
  await record(
    'acme',
    Array.from({ length: 1_200 }, (_, index) => `h${index}.example`),
  );
  const rest = (await app.module.preflight(viewer, {})).destinations.filter(({ host }) => host === '*');
  assert.equal(rest.length, 1);
});

const preflightOf = async (
  { destinations = async () => [], services = [] }: { destinations?: DestinationDirectory; services?: string[] },
  record: readonly DecisionCount[],
  seal?: object,
) => {
  await using app = await airgapApp(() => ({
    destinations,
    ownServices: { services: new Set(services), objectStore: new Set() },
  }));
  await app.deps.database.system.write((tx) => add(tx, record));
  await app.module.seal.setPolicy(operator, { policy: POLICY });
  if (seal) await app.module.seal.seal(stranger, { policy: seal });
  const { destinations: found } = await app.module.preflight(viewer, {});
  return found.map(({ host, allowed, reason }) => [host, allowed, reason]).toSorted();
};

const COUNT = { port: 443, transport: 'https', feature: 'scanner', allowed: 1, blocked: 0, reason: null } as const;

test('a preflight lets pass what a seal does: the installation’s own addresses, whoever names them', async () => {
  const tlog = { feature: 'orchestrator', source: 'integration log', host: 'Own.test.', port: 443 } as const;
  const destinations = async () => [{ ...tlog, transport: 'https' } as const];
  const record = [{ ...COUNT, tenant: 'acme', host: 'own.test' }];
  assert.deepEqual(await preflightOf({ destinations, services: ['own.test:443'] }, record), [
    ['Own.test.', true, null],
    ['own.test', true, null],
  ]);
});

test('a preflight judges the platform’s own traffic by every seal, and a tenant’s by its own policy', async () => {
  const feed = { feature: 'platform', source: 'setting feeds', host: 'feeds.example', port: 443 } as const;
  const destinations = async () => [{ ...feed, transport: 'https', isPlatform: true } as const];
  const record = [
    { ...COUNT, tenant: '*', host: 'times.example' },
    { ...COUNT, tenant: 'acme', host: 'hooks.example' },
  ];
  const rules = { allowRules: [{ hostPattern: 'times.example', port: 443 }] };
  assert.deepEqual(await preflightOf({ destinations }, record, rules), [
    ['feeds.example', false, 'no_rule_matches'],
    ['hooks.example', true, null],
    ['times.example', true, null],
  ]);
});

test('a preflight names an allowed name whose recorded address the policy would block', async () => {
  const record = [{ ...COUNT, tenant: 'acme', host: 'registry.example', reason: 'private_network_not_allowed' }];
  assert.deepEqual(await preflightOf({}, record), [['registry.example', false, 'private_network_not_allowed']]);
});
