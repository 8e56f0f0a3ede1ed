import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { type TenantId, toTenantId } from '../core/ids.ts';
import { createHttpClient } from '../http/client.ts';
import { CONNECTIONS_PER_ORIGIN } from '../http/pools.ts';
import { parseSubnets } from '../system/address.ts';
import { createConnect } from '../system/connect.ts';
import { type Egress, guarded, openEgress } from '../system/egress.ts';
import { createDecisionCounts } from './decision-counts.ts';
import { createEnforcedEgress } from './enforced-egress.ts';
import type { TenantPolicy } from './loaded-policies.ts';
import { compilePolicy } from './policy.ts';
import type { PolicyDocument } from './policy-document.ts';

const [acme, globex] = [toTenantId('acme'), toTenantId('globex')];

const stateOf = (tenant: TenantId, isSealed: boolean, overrides: Partial<PolicyDocument> = {}): TenantPolicy => {
  const policy = {
    allowLoopback: true,
    allowPrivateNetworks: false,
    allowRules: [],
    remediationDocumentationUrl: 'https://docs.example/egress',
    supportContact: 'ops@acme.example',
    ...overrides,
  };
  return { tenant, isSealed, policy, judge: compilePolicy(policy), blockedReason: null };
};

const egressOf = (...states: readonly TenantPolicy[]) => egressOver(openEgress, ...states);

/** Enforced policies over a base policy. */
const egressOver = (base: Egress, ...states: readonly TenantPolicy[]) => {
  const counts = createDecisionCounts();
  const now = { isCurrent: true, revision: 1, states };
  const listeners = new Set<() => void>();
  const egress = createEnforcedEgress({
    policies: {
      of: (tenant) => now.states.find((state) => state.tenant === tenant),
      sealed: () => now.states.filter(({ isSealed }) => isSealed),
      isCurrent: () => now.isCurrent,
      revision: () => now.revision,
      onChange(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    base,
    own: { services: new Set(['scanner:4000']), objectStore: new Set(['s3.example:443']) },
    counts,
  });
  /** Replaces the policies, which tells the listeners. */
  const change = (...next: readonly TenantPolicy[]): void => {
    now.states = next;
    now.revision += 1;
    for (const listener of listeners) listener();
  };
  return { egress, counts, now, change, listeners };
};

const https = { port: 443, transport: 'https' } as const;

/** Server that redirects to the address in its path. */
const redirecting = async () => {
  const server = createServer((request, response) => {
    const location = decodeURIComponent((request.url ?? '').slice(1));
    response.writeHead(location === '' ? 200 : 302, location === '' ? {} : { location }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { url: `http://127.0.0.1:${address.port}`, port: address.port, [Symbol.dispose]: () => void server.close() };
};

test('a block says its mode, host, port, transport, reason, and where help is', () => {
  const { egress } = egressOf(stateOf(acme, true));

  const decision = egress.decide({ host: 'API.example.', ...https, tenant: acme });

  assert.ok(!decision.allowed);
  assert.deepEqual(decision.details, {
    mode: 'Sealed',
    host: 'api.example',
    port: 443,
    transport: 'https',
    reason: 'no_rule_matches',
    remediationDocumentationUrl: 'https://docs.example/egress',
    supportContact: 'ops@acme.example',
  });
  assert.match(decision.reason, /See https:\/\/docs\.example\/egress, ops@acme\.example\.$/);
});

// spec: 2.7/egress-modes
test('the mode Unsealed advises about what no rule allows, and the mode Sealed blocks just that', () => {
  const allowRules = [{ hostPattern: 'feeds.example', port: null, transport: null }];
  for (const isSealed of [false, true]) {
    const { egress, counts } = egressOf(stateOf(acme, isSealed, { allowRules }));
    const other = egress.decide({ host: 'api.example', ...https, tenant: acme });
    assert.equal(other.allowed, !isSealed);
    assert.equal(other.allowed ? undefined : other.details?.mode, isSealed ? 'Sealed' : undefined);
    assert.ok(egress.decide({ host: 'feeds.example', ...https, tenant: acme }).allowed);
    assert.deepEqual(counts.take().find(({ host }) => host === 'api.example')?.reason, 'no_rule_matches');
  }
});

test('an unsealed policy lets traffic pass and records what a seal would block', () => {
  const { egress, counts } = egressOf(stateOf(acme, false));

  assert.ok(egress.decide({ host: 'api.example', ...https, tenant: acme, feature: 'notifier' }).allowed);

  const [entry] = counts.take();
  assert.equal(entry?.feature, 'notifier');
  assert.deepEqual([entry?.allowed, entry?.blocked, entry?.reason], [1, 0, 'no_rule_matches']);
});

test('traffic of no tenant obeys every seal, and another tenant’s none (spec: rulings/44)', () => {
  const rules = (hostPattern: string) => ({ allowRules: [{ hostPattern, port: null, transport: null }] });
  const { egress } = egressOf(stateOf(acme, true, rules('*.example')), stateOf(globex, true, rules('feeds.example')));

  assert.ok(egress.decide({ host: 'feeds.example', ...https }).allowed);
  assert.ok(!egress.decide({ host: 'other.example', ...https }).allowed);
  assert.ok(egress.decide({ host: 'other.example', ...https, tenant: acme }).allowed);
  assert.ok(egress.decide({ host: 'other.example', ...https, tenant: toTenantId('third') }).allowed);
});

test('policies that were not read block everything but the installation’s own services', () => {
  const { egress, now } = egressOf();
  now.isCurrent = false;

  assert.ok(!egress.decide({ host: '127.0.0.1', ...https, tenant: acme }).allowed);
  assert.ok(!egress.decide({ host: 'a.example', ...https }).allowed);
  assert.ok(egress.decide({ host: 'scanner', port: 4_000, transport: 'http' }).allowed);
});

test('a host that cannot be read is blocked, sealed or not', () => {
  const { egress } = egressOf();
  for (const host of ['a b', 'fe80::1%eth0', '1.2.3.4.5'])
    assert.ok(!egress.decide({ host, ...https, tenant: acme }).allowed, host);
});

test('each redirect is a decision of its own, whatever the spelling of its address', async () => {
  using server = await redirecting();
  const { egress, counts } = egressOf(stateOf(acme, true, { allowRules: [] }));
  const http = createHttpClient({ egress });
  const ask = (target: string) =>
    http.send({
      url: `${server.url}/${encodeURIComponent(target)}`,
      tenant: acme,
      correlationId: 'redirect',
      redirects: 3,
      plainHttp: 'anywhere',
    });

  const passed = await ask(`${server.url}/`);
  assert.equal(passed.kind, 'response');
  for (const target of [
    'http://0x0a.0.0.1/',
    'http://012.0.0.1/',
    'http://[::ffff:10.0.0.1]/',
    'http://169.254.169.254/',
    'http://outside.example/',
  ]) {
    const answer = await ask(target);
    assert.ok(answer.kind === 'refused-by-policy', target);
    assert.equal(answer.details?.mode, 'Sealed', target);
  }
  assert.ok(counts.take().some(({ host, blocked }) => host === '10.0.0.1' && blocked === 3));
  await http.close();
});

test('an allowed name that resolves to this machine is not connected to', async () => {
  using server = await redirecting();
  const allowRules = [{ hostPattern: 'localhost', port: null, transport: null }];
  const { egress, counts } = egressOf(stateOf(acme, true, { allowLoopback: false, allowRules }));
  const http = createHttpClient({ egress });

  const answer = await http.send({ url: `http://localhost:${server.port}/`, tenant: acme, correlationId: 'name' });
  const connecting = createConnect(egress)({ host: 'localhost', port: server.port, tenant: acme, timeoutMs: 2_000 });

  const details = {
    mode: 'Sealed',
    host: 'localhost',
    port: server.port,
    transport: 'http',
    reason: 'loopback_not_allowed',
    remediationDocumentationUrl: 'https://docs.example/egress',
    supportContact: 'ops@acme.example',
  };
  assert.equal(answer.kind, 'refused-by-policy');
  assert.deepEqual(answer.details, details);
  await assert.rejects(connecting, { code: 'EGRESS_REFUSED', details: { ...details, transport: 'tcp' } });
  for (const { transport, blocked, reason } of counts.take())
    assert.deepEqual([blocked, reason], [1, 'loopback_not_allowed'], transport);
  await http.close();
});

test('a connection of an earlier policy is not used under a later one', async () => {
  using server = await redirecting();
  const rules = { allowRules: [{ hostPattern: 'localhost', port: null, transport: null }] };
  const { egress, now } = egressOf(stateOf(acme, false, rules));
  const http = createHttpClient({ egress });
  const ask = () => http.send({ url: `http://localhost:${server.port}/`, tenant: acme, correlationId: 'seal' });

  assert.equal((await ask()).kind, 'response');
  now.states = [stateOf(acme, true, { ...rules, allowLoopback: false })];
  now.revision += 1;
  assert.equal((await ask()).kind, 'refused-by-policy');
  await http.close();
});

test('the object store is reached by its own client alone, and a tenant’s request to the same address is judged', () => {
  const { egress, counts } = egressOf(stateOf(acme, true));
  const store = { host: 's3.example', ...https };

  assert.ok(egress.decide({ ...store, feature: 'artifacts.objects' }).allowed);
  assert.ok(!egress.decide({ ...store, feature: 'artifacts.objects', tenant: acme }).allowed);
  assert.ok(!egress.decide({ ...store, feature: 'notifier', tenant: acme }).allowed);
  assert.ok(!egress.decide({ ...store, feature: 'scanner' }).allowed);
  assert.ok(egress.decide({ host: 'scanner', port: 4_000, transport: 'http', tenant: acme }).allowed);
  assert.deepEqual(
    counts.take().map(({ host, tenant, feature, blocked }) => [host, tenant, feature, blocked]),
    [
      ['s3.example', 'acme', 'artifacts.objects', 1],
      ['s3.example', 'acme', 'notifier', 1],
      ['s3.example', '*', 'scanner', 1],
      ['scanner', 'acme', 'platform', 0],
    ],
  );
});

test('before a seal, the record has the reason that the address of an allowed name would be blocked for', async () => {
  using server = await redirecting();
  const allowRules = [{ hostPattern: 'localhost', port: null, transport: null }];
  const { egress, counts } = egressOf(stateOf(acme, false, { allowLoopback: false, allowRules }));
  const http = createHttpClient({ egress });

  const url = `http://localhost:${server.port}/`;
  assert.equal((await http.send({ url, tenant: acme, correlationId: 'name' })).kind, 'response');
  await http.close();

  assert.deepEqual(
    counts.take().map(({ host, allowed, blocked, reason }) => [host, allowed, blocked, reason]),
    [['localhost', 1, 0, 'loopback_not_allowed']],
  );
});

test('a tenant is not told by a seal that a name leads into a network that the operator keeps it out of', () => {
  const base = guarded({ ownPorts: new Set(), privateNetworks: parseSubnets('test', []), allowPrivate: false });
  const allowRules = [{ hostPattern: 'name.example', port: null, transport: null }];
  const { egress, counts } = egressOver(base, stateOf(acme, true, { allowLoopback: false, allowRules }));
  const decision = egress.decide({ host: 'name.example', ...https, tenant: acme, address: '10.0.0.1' });
  const platform = egress.decide({ host: 'name.example', ...https, address: '10.0.0.1' });

  assert.ok(!decision.allowed && !platform.allowed);
  assert.equal(decision.details, undefined);
  assert.equal(platform.details?.mode, 'Sealed');
  assert.deepEqual(counts.take(), []);
});

test('a new policy ends what it blocks: answers under way, requests in the queue and sockets', async () => {
  const held = createServer((_, response) => void response.writeHead(200).write('first'));
  held.listen(0, '127.0.0.1');
  await once(held, 'listening');
  const address = held.address();
  assert.ok(typeof address === 'object' && address !== null);
  const { egress, change, listeners } = egressOf(stateOf(acme, false), stateOf(globex, false));
  const http = createHttpClient({ egress });
  const ask = (tenant: TenantId) =>
    http.stream({ url: `http://127.0.0.1:${address.port}/`, tenant, correlationId: 'seal' });
  const streams = await Promise.all(Array.from({ length: CONNECTIONS_PER_ORIGIN }, () => ask(acme)));
  const queued = ask(acme);
  const other = await ask(globex);
  const socket = await createConnect(egress)({ host: '127.0.0.1', port: address.port, tenant: acme, timeoutMs: 9_000 });
  const ended = assert.rejects(socket.toArray(), { code: 'EGRESS_REFUSED' });

  change(stateOf(acme, true, { allowLoopback: false }), stateOf(globex, false));

  const answer = await queued;
  assert.ok(answer.kind === 'refused-by-policy');
  assert.equal(answer.details?.reason, 'loopback_not_allowed');
  for (const stream of streams) {
    assert.ok(stream.kind === 'response');
    await assert.rejects(stream.body.toArray(), { code: 'EGRESS_REFUSED' });
  }
  await ended;
  assert.ok(other.kind === 'response');
  assert.equal(String(await other.body.take(1).toArray()), 'first');
  held.closeAllConnections();
  held.close();
  await http.close();
  assert.equal(listeners.size, 0);
});
