import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { after, test } from 'node:test';
import { toTenantId } from '../core/ids.ts';
import { createHttpClient } from '../http/client.ts';
import { parseSubnets, type Subnets } from './address.ts';
import { type Destination, egressLookup, guarded } from './egress.ts';

const OWN_PORT = 4003;
const tenant = toTenantId('acme');
const networks = (...entries: string[]): Subnets => parseSubnets('Egress:Private', entries);
const loopback = networks('127.0.0.0/8', '::1/128');
const guard = guarded({ ownPorts: new Set([OWN_PORT]), privateNetworks: loopback, allowPrivate: false });
const allows = (host: string, overrides: Partial<Destination> = {}): boolean =>
  guard.decide({ host, port: 443, transport: 'https', tenant, ...overrides }).allowed;

const PUBLIC = ['registry.example', '1.1.1.1', '172.32.0.1', '2606:4700::1111'];
const PRIVATE = [
  'localhost',
  '127.0.0.1',
  '::1',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  'fd12::1',
  '::ffff:10.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
];
const NEVER = [
  '169.254.169.254',
  '::ffff:169.254.169.254',
  'fe80::1',
  'fd00:ec2::254',
  '224.0.0.1',
  'ff02::1',
  '0.0.0.0',
  '::',
];

const everywhere = networks('0.0.0.0/0', '::/0');

test('a tenant goes to public addresses, to private ones that are both listed and named, to link-local ones never', () => {
  const listing = guarded({ ownPorts: new Set(), privateNetworks: everywhere, allowPrivate: false });
  const permissive = guarded({ ownPorts: new Set(), privateNetworks: networks(), allowPrivate: true });
  const closed = guarded({ ownPorts: new Set(), privateNetworks: networks(), allowPrivate: false });
  const ask = (policy: typeof guard, host: string, overrides: Partial<Destination> = {}): boolean =>
    policy.decide({ host, port: 443, transport: 'https', tenant, ...overrides }).allowed;
  const named = { namedBy: 'administrator' } as const;
  for (const host of PUBLIC) assert.ok(ask(closed, host), host);
  for (const host of PRIVATE) {
    assert.ok(!ask(closed, host), host);
    assert.ok(!ask(closed, host, named), host);
    assert.ok(!ask(listing, host), host);
    assert.ok(ask(listing, host, named), host);
    assert.ok(ask(permissive, host), host);
    assert.ok(ask(closed, host, { namedBy: 'operator' }), host);
  }
  for (const host of NEVER)
    for (const policy of [listing, permissive, closed]) assert.ok(!ask(policy, host, named), host);
});

test('an address of this machine is private, wherever it is routed', () => {
  const own = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
  const policy = guarded({ ownPorts: new Set(), privateNetworks: networks(), allowPrivate: false });
  for (const host of own)
    assert.ok(!policy.decide({ host, port: 443, transport: 'https', tenant, namedBy: 'administrator' }).allowed, host);
});

test('a private network is an address or a subnet, and a refusal names the setting', () => {
  const listed = networks('10.0.0.0/8', '192.168.1.7', 'fd12::/16');
  assert.deepEqual(
    ['10.9.9.9', '::ffff:10.9.9.9', '11.0.0.1', '192.168.1.7', '192.168.1.8', 'fd12::1', 'host'].map((address) =>
      listed.holds(address),
    ),
    [true, true, false, true, false, true, false],
  );
  assert.throws(() => networks('10.0.0.0/33'), /Egress:Private: 10\.0\.0\.0\/33 is neither/);
});

test('what a public name resolves to is judged as an address', () => {
  assert.ok(allows('registry.example', { address: '1.1.1.1' }));
  assert.ok(!allows('registry.example', { address: '127.0.0.1' }));
  assert.ok(!allows('registry.example', { address: '10.0.0.1', namedBy: 'administrator' }));
  assert.ok(!allows('registry.example', { address: '169.254.169.254', namedBy: 'administrator' }));
});

test('our own listeners are open to nobody, whatever this machine is called', () => {
  const own = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
  for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '::1', ...own])
    assert.ok(!allows(host, { port: OWN_PORT, namedBy: 'administrator' }), host);
  assert.ok(!allows('me.example', { port: OWN_PORT, namedBy: 'administrator', address: '127.0.0.1' }));
});

test('traffic of no tenant goes where the operator says', () => {
  assert.ok(guard.decide({ host: '127.0.0.1', port: OWN_PORT, transport: 'http' }).allowed);
});

const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => server.close());
const http = createHttpClient({ egress: guard });
after(() => http.close());

test('a refusal does not tell a port where somebody listens from one where nobody does', async () => {
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  const connections: unknown[] = [];
  server.on('connection', (socket) => connections.push(socket));
  const ask = (url: string, assertedClaims: readonly string[] = []) =>
    http.send({ url, tenant, vouched: new Set(assertedClaims), correlationId: '01900000-0000-7000-8000-000000000000' });

  for (const host of ['127.0.0.1', 'localhost']) {
    const open = await ask(`http://${host}:${address.port}/v2/`);
    assert.deepEqual(open, await ask(`http://${host}:1/v2/`));
    assert.equal(open.kind, 'refused-by-policy');
  }
  assert.equal(connections.length, 0);
  const origin = `http://127.0.0.1:${address.port}`;
  assert.equal((await ask(`${origin}/v2/`, [origin])).kind, 'connection');
  assert.equal(connections.length, 1);
});

test('a socket of a tenant connects to the very addresses that were judged, and a name tells nothing of the others', async () => {
  const lookup = (host: string, policy: typeof guard) =>
    new Promise<unknown>((settle) => {
      const destination = { port: 443, transport: 'https', tenant, namedBy: 'administrator' } as const;
      egressLookup(policy, destination)(host, { all: true }, (error, found) => settle(error?.message ?? found));
    });
  const judged: (string | undefined)[] = [];
  const found = await lookup('localhost', {
    decide(destination) {
      judged.push(destination.address);
      return { allowed: true };
    },
  });
  assert.ok(Array.isArray(found) && found.length > 0);
  assert.deepEqual(
    found.map(({ address }) => address),
    judged,
  );
  const closed = guarded({ ownPorts: new Set(), privateNetworks: networks(), allowPrivate: false });
  const unknown = await lookup('no-such-name.invalid', closed);
  assert.equal(await lookup(hostname(), closed), String(unknown).replace('no-such-name.invalid', hostname()));
});
