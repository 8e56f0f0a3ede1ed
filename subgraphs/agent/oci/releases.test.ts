import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { buildImage, buildIndex, hostPlatform, type Image } from '@landfall/kernel/testing/oci-image';
import { type RegistryOptions, startRegistry } from '@landfall/kernel/testing/oci-registry';
import { errorClassOf } from '../protocol/failure.ts';
import type { Component, ErrorClass } from '../protocol/messages.ts';
import { createDistribution, type PullLimits, pullLimits } from './distribution.ts';
import { createReleases } from './releases.ts';
import { unpackLimits } from './unpack.ts';

const never = new AbortController().signal;
const credentials = { username: 'reader', password: 'correct horse' };

const image = (text = 'one', platform = hostPlatform): Image =>
  buildImage({
    layers: [[{ path: 'app/site.txt', content: text }], [{ path: 'app/more.txt', content: 'more' }]],
    platform,
  });

const setUp = async (options: RegistryOptions & { limits?: Partial<PullLimits>; known?: boolean } = {}) => {
  const registry = await startRegistry(options);
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'landfall-releases-')));
  const limits = { ...pullLimits, backoffMs: 1, ...options.limits };
  const distribution = createDistribution(limits, () => (options.known === false ? undefined : options.credentials));
  const releases = createReleases(directory, hostPlatform, unpackLimits);
  await releases.open();
  const component = (pushed: Image, changes: Partial<Component> = {}): Component => ({
    name: 'web',
    repository: registry.repository('team/web'),
    digest: registry.push('team/web', pushed, 'stable'),
    platforms: {},
    port: null,
    ...changes,
  });
  return {
    registry,
    directory,
    releases,
    component,
    async pull(expected: Component) {
      const resolved = await releases.resolve(distribution, expected, never);
      const bytes = await releases.fetch(distribution, resolved, never);
      return { resolved, bytes, release: await releases.prepare(resolved, never) };
    },
    async [Symbol.asyncDispose]() {
      await distribution[Symbol.asyncDispose]();
      await registry[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
};

const fails = (code: string, errorClass: ErrorClass) => (error: unknown) => {
  assert.ok(error instanceof Fault, String(error));
  assert.deepEqual([error.code, errorClassOf(error)], [code, errorClass], error.message);
  return true;
};

test('an image is pulled by digest, hashed and unpacked; the second time nothing crosses the network', async () => {
  await using host = await setUp();
  const first = await host.pull(host.component(image()));
  assert.equal(first.resolved.manifestDigest, image().digest);
  assert.equal(await readFile(join(first.release.root, 'app/site.txt'), 'utf8'), 'one');
  assert.ok(first.bytes > 0);
  const requestCount = host.registry.requests.length;
  const second = await host.pull(host.component(image()));
  assert.equal(second.bytes, 0);
  assert.equal(host.registry.requests.length, requestCount);
});

test('behind an index the child of this platform is taken, and both digests are kept apart', async () => {
  await using host = await setUp();
  const own = image('own');
  const index = buildIndex([image('foreign', 'plan9/vax'), own]);
  const { resolved, release } = await host.pull(host.component(index, { platforms: { [hostPlatform]: own.digest } }));
  assert.equal(resolved.manifestDigest, index.digest);
  assert.equal(resolved.platformDigest, own.digest);
  assert.deepEqual(await host.releases.identifyPath(release.root), { digest: own.digest, reason: null });
});

// spec: rulings/50
test('an index without this platform, and an image for another one, are refused as such', async () => {
  await using host = await setUp();
  const other = image('foreign', 'plan9/vax');
  await assert.rejects(
    host.pull(host.component(buildIndex([other]))),
    fails('DEPLOY_PULL_FAILED', 'platform-unsupported'),
  );
  await assert.rejects(host.pull(host.component(other)), fails('DEPLOY_PULL_FAILED', 'platform-unsupported'));
});

// spec: 7.2/DEPLOY_DIGEST_VERIFICATION_FAILED
test('an index whose child is not the one that was finalized is a digest mismatch', async () => {
  await using host = await setUp();
  const expected = host.component(buildIndex([image()]), { platforms: { [hostPlatform]: image('other').digest } });
  await assert.rejects(host.pull(expected), fails('DEPLOY_DIGEST_VERIFICATION_FAILED', 'digest-mismatch'));
});

test('a tag that moved changes nothing for who asks by digest', async () => {
  await using host = await setUp();
  const approved = host.component(image('approved'));
  host.component(image('moved'));
  const { release } = await host.pull(approved);
  assert.equal(await readFile(join(release.root, 'app/site.txt'), 'utf8'), 'approved');
});

// spec: 7.2/DEPLOY_DIGEST_VERIFICATION_FAILED
test('a corrupt manifest and a corrupt blob are digest mismatches and leave no release', async () => {
  await using host = await setUp();
  const expected = host.component(image());
  for (const match of ['/manifests/', '/blobs/']) {
    using _ = host.registry.fault({ kind: 'corrupt', match });
    await assert.rejects(host.pull(expected), fails('DEPLOY_DIGEST_VERIFICATION_FAILED', 'digest-mismatch'));
  }
  assert.deepEqual(await readdir(join(host.directory, 'rel')), []);
  assert.deepEqual(await readdir(join(host.directory, 'partial')), []);
});

// spec: 7.2/DEPLOY_ARTIFACT_MISSING
test('a missing manifest and a missing blob are artifacts that are gone', async () => {
  await using host = await setUp();
  const missing = { ...host.component(image()), digest: sha256('nothing') };
  await assert.rejects(host.pull(missing), fails('DEPLOY_ARTIFACT_MISSING', 'artifact-missing'));
  const [layer] = image().blobs.keys();
  if (layer) host.registry.remove('team/web', layer);
  await assert.rejects(
    host.pull(host.component({ ...image(), blobs: new Map() })),
    fails('DEPLOY_ARTIFACT_MISSING', 'artifact-missing'),
  );
});

// spec: 7.2/DEPLOY_PULL_FAILED
test('a registry that answers 5xx twice is asked again; one that goes on is unreachable', async () => {
  await using host = await setUp();
  const expected = host.component(image());
  {
    using _ = host.registry.fault({ kind: 'status', match: '/manifests/', status: 503, times: 2 });
    await host.pull(expected);
  }
  using _ = host.registry.fault({ kind: 'status', match: '/manifests/', status: 500 });
  await assert.rejects(host.pull(host.component(image('two'))), fails('DEPLOY_PULL_FAILED', 'registry-unreachable'));
});

// spec: 7.2/DEPLOY_PULL_FAILED
test('a registry that is not there, hangs or trickles is unreachable, each in bounded time', async () => {
  await using host = await setUp({ limits: { answerMs: 100, graceMs: 200, tries: 1, bytesPerSecond: 1_000_000 } });
  const expected = host.component(image());
  {
    using _ = host.registry.fault({ kind: 'hang', match: '/manifests/' });
    await assert.rejects(host.pull(expected), fails('DEPLOY_PULL_FAILED', 'registry-unreachable'));
  }
  {
    using _ = host.registry.fault({ kind: 'trickle', match: '/blobs/', everyMs: 30 });
    await assert.rejects(host.pull(expected), fails('DEPLOY_PULL_FAILED', 'registry-unreachable'));
  }
  await host.registry[Symbol.asyncDispose]();
  await assert.rejects(host.pull(host.component(image('new'))), fails('DEPLOY_PULL_FAILED', 'registry-unreachable'));
});

test('a bearer challenge is answered with the credentials of the task; without them the registry refuses', async () => {
  await using known = await setUp({ credentials });
  await known.pull(known.component(image()));
  assert.equal(known.registry.requests.filter(({ path }) => path === '/token').length, 1);
  await using unknown = await setUp({ credentials, known: false });
  await assert.rejects(unknown.pull(unknown.component(image())), fails('DEPLOY_PULL_FAILED', 'registry-unauthorized'));
});

test('a redirect of a blob is followed and the authorization stays behind', async () => {
  await using host = await setUp({ credentials });
  await using storage = await startRegistry();
  storage.push('team/web', image());
  using _ = host.registry.fault({ kind: 'redirect', match: '/blobs/', to: storage.origin });
  await host.pull(host.component(image()));
  assert.ok(storage.requests.length > 0);
  assert.deepEqual([...new Set(storage.requests.map(({ authorization }) => authorization))], [undefined]);
});

test('a redirect to plain HTTP off this machine is not followed', async () => {
  await using host = await setUp();
  using _ = host.registry.fault({ kind: 'redirect', match: '/blobs/', to: 'http://storage.example' });
  await assert.rejects(host.pull(host.component(image())), fails('DEPLOY_PULL_FAILED', 'unclassified'));
});

test('Docker-Content-Digest is never believed', async () => {
  await using host = await setUp();
  const server = createServer((_request, response) => {
    response.setHeader('docker-content-digest', image().digest).end('{"schemaVersion":2}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const dishonest = { ...host.component(image()), repository: `127.0.0.1:${port}/team/web` };
  await assert.rejects(host.pull(dishonest), fails('DEPLOY_DIGEST_VERIFICATION_FAILED', 'digest-mismatch'));
  server.close();
});

test('a document that is manifest and index at once is refused', async () => {
  await using host = await setUp();
  const { manifests } = image();
  const both = Buffer.from(JSON.stringify({ ...JSON.parse(manifests[0].bytes.toString()), manifests: [] }));
  const manifest = { ...manifests[0], bytes: both, digest: sha256(both) };
  const expected = host.component({ ...image(), digest: manifest.digest, manifests: [manifest] });
  await assert.rejects(host.pull(expected), fails('DEPLOY_PULL_FAILED', 'image-refused'));
});

test('a tree whose image files changed has another digest and is rebuilt; added files do not count', async () => {
  await using host = await setUp();
  const expected = host.component(image());
  const { release } = await host.pull(expected);
  await writeFile(join(release.root, 'app/cache.txt'), 'made by the process');
  assert.equal((await host.releases.identifyPath(release.root)).digest, image().digest);
  await writeFile(join(release.root, 'app/site.txt'), 'evil');
  const changed = await host.releases.identifyPath(release.root);
  assert.notEqual(changed.digest, image().digest);
  assert.match(changed.reason ?? '', /app\/site\.txt/);
  await host.pull(expected);
  assert.equal((await host.releases.identifyPath(release.root)).digest, image().digest);
});

test('a path outside every release has no digest', async () => {
  await using host = await setUp();
  assert.equal((await host.releases.identifyPath(host.directory)).digest, null);
  assert.equal((await host.releases.identifyPath(join(host.directory, 'rel', 'ff', 'root'))).digest, null);
});

test('pruning keeps what is named, with its blobs, and nothing else', async () => {
  await using host = await setUp();
  const pulled = await host.pull(host.component(image('kept')));
  await host.pull(host.component(image('gone')));
  await host.releases.prune(new Set([pulled.release.digest]));
  assert.deepEqual(await readdir(join(host.directory, 'rel')), [pulled.release.digest.slice(7)]);
  assert.equal((await host.pull(host.component(image('kept')))).bytes, 0);
});
