import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { toTenantId } from '@landfall/kernel/core/ids';
import { createHttpClient } from '@landfall/kernel/http/client';
import type { Credentials } from '@landfall/kernel/oci/challenge';
import { MANIFEST_TYPES } from '@landfall/kernel/oci/manifest';
import { createRegistryClient } from '@landfall/kernel/oci/registry-client';
import { openEgress } from '@landfall/kernel/system/egress';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { type DockerRegistry, dockerPrograms, startDockerRegistry } from '@landfall/kernel/testing/oci-docker';
import { buildIndex } from '@landfall/kernel/testing/oci-image';
import { startRegistry } from '@landfall/kernel/testing/oci-registry';
import { needs } from '@landfall/kernel/testing/programs';
import { type CatalogueApp, catalogueApp, refusal } from '../../testing/catalogue-app.ts';

const nothing = `sha256:${'0'.repeat(64)}` as const;
const amd64 = buildApp({ version: '1.0.0', platform: 'linux/amd64' });
const arm64 = buildApp({ version: '1.0.0', platform: 'linux/arm64' });
const index = buildIndex([amd64, arm64]);

const codeOf = (answer: unknown): string | undefined => (answer instanceof Fault ? answer.code : undefined);

const answer = async ({ origin }: { readonly origin: string }, method: string, path: string) => {
  const answer = await fetch(`${origin}/v2/${path}`, { method, headers: { accept: MANIFEST_TYPES } });
  const body = await answer.text();
  return {
    status: answer.status,
    digest: answer.headers.get('docker-content-digest'),
    length: answer.ok ? answer.headers.get('content-length') : undefined,
    code: answer.ok || body === '' ? undefined : JSON.parse(body).errors[0].code,
  };
};

describe('a registry of the kind that people run', await needs(...dockerPrograms), () => {
  const http = createHttpClient({ egress: openEgress });
  const client = createRegistryClient(http);
  let open: DockerRegistry;
  let closed: DockerRegistry;
  let app: CatalogueApp;

  before(async () => {
    open = await startDockerRegistry();
    closed = await startDockerRegistry({ isClosed: true });
    app = await catalogueApp();
    await open.push('shop/web', amd64, 'single');
    await open.push('shop/web', index, 'multi');
    await closed.push('shop/web', amd64, '1.0.0');
  });
  after(async () => {
    await app?.[Symbol.asyncDispose]();
    await closed?.[Symbol.asyncDispose]();
    await open?.[Symbol.asyncDispose]();
    await http.close();
  });

  const ask = (
    { host, origin }: Pick<DockerRegistry, 'host' | 'origin'>,
    name: string,
    reference: string,
    credentials?: Credentials,
  ) =>
    client.manifest(
      { host, origin, credentials, tenant: toTenantId('acme'), correlationId: '01900000-0000-7000-8000-000000000000' },
      name,
      reference,
    );

  test('a tag is the digest that skopeo prints, and the digest that was built', async () => {
    const manifest = await ask(open, 'shop/web', 'single');
    assert.ok(!(manifest instanceof Fault));
    assert.equal(manifest.digest, await open.digestOf('shop/web', 'single'));
    assert.equal(manifest.digest, amd64.digest);
    assert.deepEqual(manifest.platforms, []);
    assert.deepEqual(await ask(open, 'shop/web', amd64.digest), manifest, 'by its digest it is the same');
  });

  test('an index names its platforms, each of them there by its digest', async () => {
    const manifest = await ask(open, 'shop/web', 'multi');
    assert.ok(!(manifest instanceof Fault));
    assert.equal(manifest.digest, await open.digestOf('shop/web', 'multi'));
    assert.deepEqual(manifest.platforms, [
      { platform: 'linux/amd64', digest: amd64.digest },
      { platform: 'linux/arm64', digest: arm64.digest },
    ]);
    for (const { digest } of manifest.platforms) assert.equal(codeOf(await ask(open, 'shop/web', digest)), undefined);
  });

  test('a tag that is missing and a repository that is missing are told apart', async () => {
    assert.equal(codeOf(await ask(open, 'shop/web', 'none')), 'REL_TAG_NOT_FOUND');
    assert.equal(codeOf(await ask(open, 'shop/none', '1.0.0')), 'INT_RESOURCE_NOT_FOUND');
    assert.equal(codeOf(await ask(open, 'shop/web', nothing)), 'INT_RESOURCE_NOT_FOUND');
    const login = closed.credentials;
    assert.equal(codeOf(await ask(closed, 'shop/web', 'none', login)), 'REL_TAG_NOT_FOUND');
    assert.equal(codeOf(await ask(closed, 'shop/none', '1.0.0', login)), 'INT_RESOURCE_NOT_FOUND');
  });

  test('one that asks for a password gives nothing without the right one', async () => {
    const manifest = await ask(closed, 'shop/web', '1.0.0', closed.credentials);
    assert.ok(!(manifest instanceof Fault));
    assert.equal(manifest.digest, amd64.digest);
    const wrong = { ...closed.credentials, password: 'wrong' };
    assert.equal(codeOf(await ask(closed, 'shop/web', '1.0.0', wrong)), 'INT_AUTH_FAILED');
    assert.equal(codeOf(await ask(closed, 'shop/web', '1.0.0')), 'INT_AUTH_FAILED');
  });

  test('the registry that other tests use answers as this one does', async () => {
    await using own = await startRegistry();
    own.push('shop/web', index, 'multi');
    const [blob = nothing] = amd64.blobs.keys();
    const items = [
      'manifests/multi',
      `manifests/${index.digest}`,
      'manifests/none',
      `manifests/${nothing}`,
      `blobs/${blob}`,
      `blobs/${nothing}`,
    ].flatMap((noun) => [`shop/web/${noun}`, `shop/none/${noun}`]);
    for (const method of ['GET', 'HEAD'])
      for (const path of items)
        assert.deepEqual(await answer(own, method, path), await answer(open, method, path), `${method} ${path}`);
    assert.deepEqual(await answer(own, 'GET', 'shop/none/tags/list'), await answer(open, 'GET', 'shop/none/tags/list'));
  });

  test('a tag that moves after the release was finalized moves nothing of it', async () => {
    const first = buildApp({ version: '2.0.0' });
    await open.push('shop/moving', first, 'stable');
    const components = [{ name: 'web', repository: open.repository('shop/moving'), tag: 'stable' }];
    const release = await app.seed.finalized({ components });
    assert.equal(release.components[0]?.digest, first.digest);

    const second = await open.push('shop/moving', buildApp({ version: '2.0.1' }), 'stable');
    assert.equal(await open.digestOf('shop/moving', 'stable'), second);
    const { version } = release;
    const ready = await app.module.releases.markReady(app.caller('operator'), {
      id: release.id,
      expectedVersion: version,
    });
    assert.equal(ready.components[0]?.digest, first.digest);
    assert.equal(
      (await app.seed.finalized({ components })).components[0]?.digest,
      second,
      'a later release is the newer',
    );
  });

  test('an integration has the password, and takes the wrong one for what it is', async () => {
    const operator = app.caller('operator');
    const components = [{ name: 'web', repository: closed.repository('shop/web'), tag: '1.0.0' }];
    const { id, version } = await app.seed.draft({ components });
    const finalize = () => app.module.releases.finalize(operator, { id, expectedVersion: version });
    await assert.rejects(finalize(), refusal('INT_AUTH_FAILED'));
    const connect = (name: string, credentials: Credentials) =>
      app.module.integrations.create(operator, { kind: 'registry', name, baseUrl: closed.origin, ...credentials });
    await connect('Closed', closed.credentials);
    assert.equal((await finalize()).components[0]?.digest, amd64.digest);
  });
});
