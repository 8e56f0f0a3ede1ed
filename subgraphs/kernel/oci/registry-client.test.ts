import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Fault } from '../core/fault.ts';
import { toTenantId } from '../core/ids.ts';
import { createHttpClient } from '../http/client.ts';
import { openEgress } from '../system/egress.ts';
import { buildImage } from '../testing/oci-image.ts';
import { type Registry, startRegistry } from '../testing/oci-registry.ts';
import type { Credentials } from './challenge.ts';
import { createRegistryClient } from './registry-client.ts';

const credentials = { username: 'robot', password: 'correct horse' };
const http = createHttpClient({ egress: openEgress });
after(() => http.close());
const client = createRegistryClient(http, { total: 2_000 });

const image = buildImage({ layers: [[{ path: 'app', content: 'hello' }]] });

const accessTo = ({ host, origin }: Registry, input?: Credentials) => ({
  host,
  origin,
  credentials: input,
  tenant: toTenantId('acme'),
  correlationId: '01900000-0000-7000-8000-000000000000',
});

const codeOf = (answer: unknown): string | undefined => (answer instanceof Fault ? answer.code : undefined);

test('an open registry is asked without credentials', async () => {
  await using registry = await startRegistry();
  registry.push('web', image, '1');
  const manifest = await client.manifest(accessTo(registry, credentials), 'web', '1');
  assert.ok(!(manifest instanceof Fault));
  assert.equal(manifest.digest, image.digest);
  assert.deepEqual(registry.requests, [{ method: 'GET', path: '/v2/web/manifests/1', authorization: undefined }]);
  assert.equal(await client.ping(accessTo(registry)), undefined);
});

test('a challenge is answered with a token that the credentials buy', async () => {
  await using registry = await startRegistry({ credentials });
  registry.push('web', image, '1');
  const manifest = await client.manifest(accessTo(registry, credentials), 'web', '1');
  assert.ok(!(manifest instanceof Fault));
  assert.deepEqual(
    registry.requests.map(({ path, authorization }) => [path, authorization?.split(' ')[0]]),
    [
      ['/v2/web/manifests/1', undefined],
      ['/token', 'Basic'],
      ['/v2/web/manifests/1', 'Bearer'],
    ],
  );
  assert.equal(await client.ping(accessTo(registry, credentials)), undefined);
});

test('wrong credentials, or none where some are wanted, are INT_AUTH_FAILED', async () => {
  await using registry = await startRegistry({ credentials });
  const wrong = { ...credentials, password: 'wrong' };
  assert.equal(codeOf(await client.manifest(accessTo(registry, wrong), 'web', '1')), 'INT_AUTH_FAILED');
  assert.equal(codeOf(await client.ping(accessTo(registry))), 'INT_AUTH_FAILED');
});

// spec: 7.2/INT_TIMEOUT
test('a registry that never answers is INT_TIMEOUT', async () => {
  await using registry = await startRegistry();
  registry.push('web', image, '1');
  using _fault = registry.fault({ kind: 'hang', match: '/web/' });
  const longTimeout = createRegistryClient(http, { total: 100 });
  assert.equal(codeOf(await longTimeout.manifest(accessTo(registry), 'web', '1')), 'INT_TIMEOUT');
});

test('bytes that are not what their digest says are INT_INVALID_RESPONSE, by tag and by digest', async () => {
  await using registry = await startRegistry();
  registry.push('web', image, '1');
  using _fault = registry.fault({ kind: 'corrupt', match: '/web/' });
  for (const reference of ['1', image.digest])
    assert.equal(codeOf(await client.manifest(accessTo(registry), 'web', reference)), 'INT_INVALID_RESPONSE');
});

test('a redirect is followed, and credentials do not go with it', async () => {
  await using registry = await startRegistry({ credentials });
  await using storage = await startRegistry();
  storage.push('web', image, '1');
  using _fault = registry.fault({ kind: 'redirect', match: '/manifests/', to: storage.origin });
  const manifest = await client.manifest(accessTo(registry, credentials), 'web', '1');
  assert.ok(!(manifest instanceof Fault));
  assert.deepEqual(
    storage.requests.map(({ authorization }) => authorization),
    [undefined],
  );
});
