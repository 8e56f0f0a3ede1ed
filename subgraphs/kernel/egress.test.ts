import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, test } from 'node:test';
import { type Destination, guarded } from './egress.ts';
import { createHttpClient } from './http/client.ts';
import { toTenantId } from './ids.ts';

const OWN_PORT = 4003;
const tenant = toTenantId('acme');
const guard = guarded({ ownPorts: new Set([OWN_PORT]), allowPrivate: false });
const allows = (host: string, more: Partial<Destination> = {}): boolean =>
  guard.decide({ host, port: 443, transport: 'https', tenant, ...more }).allowed;

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

test('a tenant goes to public addresses, to private ones where somebody vouches, to link-local ones never', () => {
  const permissive = guarded({ ownPorts: new Set(), allowPrivate: true });
  for (const host of PUBLIC) assert.ok(allows(host), host);
  for (const host of PRIVATE) {
    assert.ok(!allows(host), host);
    assert.ok(allows(host, { isVouched: true }), host);
    assert.ok(permissive.decide({ host, port: 443, transport: 'https', tenant }).allowed, host);
  }
  for (const host of NEVER) {
    assert.ok(!allows(host, { isVouched: true }), host);
    assert.ok(!permissive.decide({ host, port: 443, transport: 'https', tenant }).allowed, host);
  }
});

test('what a public name resolves to is judged as an address', () => {
  assert.ok(allows('registry.example', { address: '1.1.1.1' }));
  assert.ok(!allows('registry.example', { address: '127.0.0.1' }));
  assert.ok(!allows('registry.example', { address: '169.254.169.254', isVouched: true }));
});

test('nobody vouches for our own listeners, whatever this machine is called', () => {
  const own = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
  for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '::1', ...own])
    assert.ok(!allows(host, { port: OWN_PORT, isVouched: true }), host);
  assert.ok(!allows('me.example', { port: OWN_PORT, isVouched: true, address: '127.0.0.1' }));
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
  const ask = (url: string, vouched: readonly string[] = []) =>
    http.send({ url, tenant, vouched: new Set(vouched), correlationId: '01900000-0000-7000-8000-000000000000' });

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
