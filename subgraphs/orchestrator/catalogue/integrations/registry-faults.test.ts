import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { toTenantId } from '@landfall/kernel/core/ids';
import { createHttpClient, type HttpClient } from '@landfall/kernel/http/client';
import type { Credentials } from '@landfall/kernel/oci/challenge';
import { createRegistryClient, type RegistryAccess } from '@landfall/kernel/oci/registry-client';
import { parseSubnets } from '@landfall/kernel/system/address';
import { guarded, openEgress } from '@landfall/kernel/system/egress';
import { buildImage } from '@landfall/kernel/testing/oci-image';
import { type Registry, type RegistryFault, startRegistry } from '@landfall/kernel/testing/oci-registry';
import { catalogueApp, refusal } from '../../testing/catalogue-app.ts';

/** Deadline of the client under test, in milliseconds; the slow registry answers sooner, the hanging one never. */
const TIMEOUT_MS = 300;
const MEBIBYTE = 1024 * 1024;

const credentials = { username: 'robot', password: 'correct horse' };
const http = createHttpClient({ egress: openEgress });
const privateNetworks = parseSubnets('Egress:Private', ['127.0.0.0/8']);
const guardedClient = createHttpClient({
  egress: guarded({ ownPorts: new Set(), privateNetworks, allowPrivate: false }),
});
after(async () => {
  await http.close();
  await guardedClient.close();
});
const client = createRegistryClient(http);
const withShortTimeout = createRegistryClient(http, { total: TIMEOUT_MS });

const image = buildImage({ layers: [[{ path: 'app', content: 'hello' }]] });

const accessTo = ({ host, origin }: Registry, overrides: Partial<RegistryAccess> = {}): RegistryAccess => ({
  host,
  origin,
  tenant: toTenantId('acme'),
  correlationId: '01900000-0000-7000-8000-000000000000',
  ...overrides,
});

const codeOf = (answer: unknown): string | undefined => (answer instanceof Fault ? answer.code : undefined);

const filled = async (input?: Credentials, realm?: string): Promise<Registry> => {
  const registry = await startRegistry({ ...(input && { credentials: input }), ...(realm !== undefined && { realm }) });
  registry.push('web', image, '1');
  return registry;
};

const endless: readonly [name: string, fault: RegistryFault][] = [
  ['answers a byte at a time', { kind: 'trickle', match: '/manifests/', everyMs: 20 }],
  ['never gives its token', { kind: 'hang', match: '/token' }],
  ['gives its token a byte at a time', { kind: 'trickle', match: '/token', everyMs: 20 }],
];

for (const [name, fault] of endless)
  test(`a registry that ${name} is INT_TIMEOUT`, async () => {
    await using registry = await filled(credentials);
    using _fault = registry.fault(fault);
    assert.equal(
      codeOf(await withShortTimeout.manifest(accessTo(registry, { credentials }), 'web', '1')),
      'INT_TIMEOUT',
    );
  });

const inconsistent: readonly [name: string, fault: (registry: Registry) => RegistryFault][] = [
  ['corrupts its bytes', () => ({ kind: 'corrupt', match: '/manifests/' })],
  [
    'says another digest than its bytes have',
    () => ({ kind: 'lie', match: '/manifests/', digest: `sha256:${'f'.repeat(64)}` }),
  ],
  ['announces a huge manifest', () => ({ kind: 'bloat', match: '/manifests/', bytes: 5 * MEBIBYTE, isDeclared: true })],
  ['sends a huge manifest', () => ({ kind: 'bloat', match: '/manifests/', bytes: 5 * MEBIBYTE, isDeclared: false })],
  ['redirects for ever', ({ origin }) => ({ kind: 'redirect', match: '/manifests/', to: origin })],
];

for (const [name, fault] of inconsistent)
  test(`a registry that ${name} is INT_INVALID_RESPONSE`, async () => {
    await using registry = await filled();
    using _fault = registry.fault(fault(registry));
    assert.equal(codeOf(await client.manifest(accessTo(registry), 'web', '1')), 'INT_INVALID_RESPONSE');
    assert(registry.requests.length <= 4, 'no redirect is followed for ever');
  });

test('a deadline is for everything that is asked: challenge, token and manifest', async () => {
  await using registry = await filled(credentials);
  // Either alone takes some 1.3 s.
  using _slowToken = registry.fault({ kind: 'trickle', match: '/token', everyMs: 30 });
  using _slowManifest = registry.fault({ kind: 'trickle', match: '/manifests/', everyMs: 3 });
  const longTimeout = createRegistryClient(http, { total: 2_000 });
  assert.equal(codeOf(await longTimeout.manifest(accessTo(registry, { credentials }), 'web', '1')), 'INT_TIMEOUT');
});

test('a caller who has less time than usual is told that it was too little', async () => {
  await using registry = await filled();
  using _fault = registry.fault({ kind: 'hang', match: '/manifests/' });
  const access = accessTo(registry, { signal: AbortSignal.timeout(50) });
  assert.equal(codeOf(await createRegistryClient(http).manifest(access, 'web', '1')), 'INT_TIMEOUT');
});

test('a token service that redirects elsewhere takes no password with it', async () => {
  await using registry = await filled(credentials);
  await using otherRegistry = await startRegistry({ credentials });
  using _fault = registry.fault({ kind: 'redirect', match: '/token', to: otherRegistry.origin });
  assert.equal(codeOf(await client.manifest(accessTo(registry, { credentials }), 'web', '1')), 'INT_AUTH_FAILED');
  assert.deepEqual(otherRegistry.requests, [{ method: 'GET', path: '/token', authorization: undefined }]);
});

test('a token service in the private network is asked only where an integration vouches for it', async () => {
  await using tokens = await startRegistry({ credentials });
  await using registry = await filled(credentials, `${tokens.origin}/token`);
  const from = createRegistryClient(guardedClient);
  const ask = (...assertedClaims: string[]) =>
    from.manifest(accessTo(registry, { credentials, vouched: new Set(assertedClaims) }), 'web', '1');
  const refused = await ask(registry.origin);
  assert.ok(refused instanceof Fault);
  assert.deepEqual([refused.code, refused.details?.cause], ['INT_CONNECTION_FAILED', 'refused-by-policy']);
  assert.deepEqual(tokens.requests, []);
  assert.equal(codeOf(await ask(registry.origin, tokens.origin)), undefined);
});

test('finalize says what a registry does wrong, and preflight does not know, and never passes', async () => {
  let total = 20_000;
  const ofLittlePatience: HttpClient = {
    ...http,
    send: (request) => http.send({ ...request, timeouts: { ...request.timeouts, total } }),
  };
  await using app = await catalogueApp({}, { http: ofLittlePatience });
  const operator = app.caller('operator');
  const { id: releaseId } = await app.seed.finalized();
  const draft = await app.seed.draft();
  const assertRefused = async (fault: RegistryFault, code: string): Promise<void> => {
    using _fault = app.registry.fault(fault);
    const finalize = app.module.releases.finalize(operator, { id: draft.id, expectedVersion: draft.version });
    await assert.rejects(finalize, refusal(code, { component: 'web' }), fault.kind);
    const { checks } = await app.module.deployments.preflight(operator, { releaseId });
    assert.equal(checks.find(({ key }) => key === 'image-resolvable')?.status, 'unknown', fault.kind);
  };
  for (const [, fault] of inconsistent) await assertRefused(fault(app.registry), 'INT_INVALID_RESPONSE');
  total = TIMEOUT_MS;
  await assertRefused({ kind: 'hang', match: '/manifests/' }, 'INT_TIMEOUT');
  await assertRefused({ kind: 'trickle', match: '/manifests/', everyMs: 1_000 }, 'INT_TIMEOUT');
  assert.equal((await app.module.releases.get(operator, { id: draft.id })).status, 'draft');
});

test('preflight waits three seconds for a registry that hangs', { timeout: 15_000 }, async () => {
  await using app = await catalogueApp();
  const { id: releaseId } = await app.seed.finalized();
  using _fault = app.registry.fault({ kind: 'hang', match: '/manifests/' });
  const { checks } = await app.module.deployments.preflight(app.caller('viewer'), { releaseId });
  const check = checks.find(({ key }) => key === 'image-resolvable');
  assert.equal(check?.status, 'unknown');
  assert.match(check?.detail ?? '', /did not answer in time/);
});

test('another tenant reads on while forty preflights wait for a registry', { timeout: 30_000 }, async () => {
  await using app = await catalogueApp();
  const { id: releaseId } = await app.seed.finalized();
  using _fault = app.registry.fault({ kind: 'hang', match: '/manifests/' });
  const aliases = Array.from(
    { length: 16 },
    (_, i) => `a${i}: preflight(releaseId: "${releaseId}") { checks { status } }`,
  );
  let isWaiting = true;
  const preflights = Promise.all([
    app.graph(`{ ${aliases.join(' ')} }`, {}, { as: 'viewer' }),
    ...Array.from({ length: 24 }, () => app.module.deployments.preflight(app.caller('viewer'), { releaseId })),
  ]).finally(() => {
    isWaiting = false;
  });
  const times: number[] = [];
  while (isWaiting) {
    const began = performance.now();
    await app.module.releases.list(app.caller('other-tenant'), {});
    times.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const [answer] = await preflights;
  assert.equal(Object.keys(Object(answer.data)).length, 16);
  assert.equal(answer.errors, undefined);
  assert.ok(Math.max(...times) < 1_500, `a read took ${Math.max(...times)} ms`);
});
