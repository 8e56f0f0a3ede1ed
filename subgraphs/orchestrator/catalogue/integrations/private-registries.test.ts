import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { after, test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { createHttpClient } from '@landfall/kernel/http/client';
import { parseSubnets } from '@landfall/kernel/system/address';
import { guarded } from '@landfall/kernel/system/egress';
import { startRegistry } from '@landfall/kernel/testing/oci-registry';
import { catalogueApp, imageOf, refusal } from '../../testing/catalogue-app.ts';

const OWN_PORT = 4003;
const privateNetworks = parseSubnets('Egress:Private', ['127.0.0.0/8', '::1/128']);
const egress = guarded({ ownPorts: new Set([OWN_PORT]), privateNetworks, allowPrivate: false });
const http = createHttpClient({ egress });
const app = await catalogueApp({}, { http });
after(async () => {
  await app[Symbol.asyncDispose]();
  await http.close();
});

const closed = createHttpClient({
  egress: guarded({
    ownPorts: new Set([OWN_PORT]),
    privateNetworks: parseSubnets('Egress:Private', []),
    allowPrivate: false,
  }),
});
const strict = await catalogueApp({}, { http: closed });
after(async () => {
  await strict[Symbol.asyncDispose]();
  await closed.close();
});

const { integrations, releases } = app.module;
const operator = app.caller('operator');
const create = (name: string, baseUrl: string) => integrations.create(operator, { kind: 'registry', name, baseUrl });

test('a registry in a listed private network is asked once an integration names it, and not before', async () => {
  const { id, version } = await app.seed.draft();
  const finalize = () => releases.finalize(operator, { id, expectedVersion: version });
  await assert.rejects(finalize(), refusal('INT_CONNECTION_FAILED', { cause: 'refused-by-policy' }));
  assert.deepEqual(app.registry.requests, []);
  await create('Here', app.registry.origin);
  assert.equal((await finalize()).status, 'finalized');
});

test('a redirect of an integration leads into the private network only to another integration', async () => {
  await using storage = await startRegistry();
  storage.push('shop/redirected', imageOf('elsewhere'), '1');
  app.registry.push('shop/redirected', imageOf('elsewhere'), '1');
  using _fault = app.registry.fault({ kind: 'redirect', match: '/shop/redirected/', to: storage.origin });
  const components = [{ name: 'web', repository: app.registry.repository('shop/redirected'), tag: '1' }];
  const { id, version } = await app.seed.draft({ components });
  const finalize = () => releases.finalize(operator, { id, expectedVersion: version });
  await assert.rejects(finalize(), refusal('INT_CONNECTION_FAILED', { cause: 'refused-by-policy' }));
  assert.deepEqual(storage.requests, []);
  await create('Storage', storage.origin);
  assert.equal((await finalize()).status, 'finalized');
});

test('an integration is neither link-local nor a listener of our own', async () => {
  for (const baseUrl of [
    'https://169.254.169.254',
    'https://[fe80::1]',
    'https://0.0.0.0',
    `http://127.0.0.1:${OWN_PORT}`,
    `http://localhost:${OWN_PORT}`,
    `https://[::1]:${OWN_PORT}`,
  ])
    await assert.rejects(create('Refused', baseUrl), refusal('VAL_INVALID_VALUE'), baseUrl);
});

test('no integration tells open, closed, silent and TLS ports of unlisted private networks apart', async () => {
  const { port } = new URL(strict.registry.origin);
  const admin = strict.caller('operator');
  const register = strict.module.integrations;
  const literal = async (origin: string): Promise<unknown> => {
    try {
      await register.create(admin, { kind: 'registry', name: 'Literal', baseUrl: origin });
      return 'created';
    } catch (error) {
      assert.ok(error instanceof Fault);
      return error.fields.map(({ message }) => message);
    }
  };
  const refusals = await Promise.all(
    [`http://127.0.0.1:${port}`, 'http://127.0.0.1:9', `https://127.0.0.1:${port}`, 'https://10.255.255.1'].map(
      literal,
    ),
  );
  assert.equal(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size, 1);
  assert.match(JSON.stringify(refusals[0]), /Egress:Private/);
  assert.deepEqual(await literal(`http://localhost:${port}`), refusals[0]);

  // A name is judged by its addresses at the time of the request, with the same response for each of these ports and
  // for an unknown name.
  const tests: string[] = [];
  for (const origin of [`https://${hostname()}:${port}`, `https://${hostname()}:9`, 'https://no-such-name.invalid']) {
    const { id } = await register.create(admin, { kind: 'registry', name: `Name ${tests.length}`, baseUrl: origin });
    const { probeCode, probeDetail } = await register.test(admin, { id });
    const { host, hostname: name } = new URL(origin);
    tests.push(`${probeCode} ${probeDetail?.replaceAll(host, 'HOST').replaceAll(name, 'HOST')}`);
  }
  assert.equal(new Set(tests).size, 1, tests.join('\n'));
  assert.match(tests[0] ?? '', /^INT_CONNECTION_FAILED /);
  assert.deepEqual(strict.registry.requests, []);
});
