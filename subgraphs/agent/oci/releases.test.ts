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
    async pull(wanted: Component) {
      const resolved = await releases.resolve(distribution, wanted, never);
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
  await using at = await setUp();
  const first = await at.pull(at.component(image()));
  assert.equal(first.resolved.manifestDigest, image().digest);
  assert.equal(await readFile(join(first.release.root, 'app/site.txt'), 'utf8'), 'one');
  assert.ok(first.bytes > 0);
  const asked = at.registry.requests.length;
  const second = await at.pull(at.component(image()));
  assert.equal(second.bytes, 0);
  assert.equal(at.registry.requests.length, asked);
});

test('behind an index the child of this platform is taken, and both digests are kept apart', async () => {
  await using at = await setUp();
  const own = image('own');
  const index = buildIndex([image('foreign', 'plan9/vax'), own]);
  const { resolved, release } = await at.pull(at.component(index, { platforms: { [hostPlatform]: own.digest } }));
  assert.equal(resolved.manifestDigest, index.digest);
  assert.equal(resolved.platformDigest, own.digest);
  assert.deepEqual(await at.releases.identifyPath(release.root), { digest: own.digest, reason: null });
});

// spec: rulings/50
test('an index without this platform, and an image for another one, are refused as such', async () => {
  await using at = await setUp();
  const foreign = image('foreign', 'plan9/vax');
  await assert.rejects(
    at.pull(at.component(buildIndex([foreign]))),
    fails('DEPLOY_PULL_FAILED', 'platform-unsupported'),
  );
  await assert.rejects(at.pull(at.component(foreign)), fails('DEPLOY_PULL_FAILED', 'platform-unsupported'));
});

// spec: 7.2/DEPLOY_DIGEST_VERIFICATION_FAILED
test('an index whose child is not the one that was finalized is a digest mismatch', async () => {
  await using at = await setUp();
  const wanted = at.component(buildIndex([image()]), { platforms: { [hostPlatform]: image('other').digest } });
  await assert.rejects(at.pull(wanted), fails('DEPLOY_DIGEST_VERIFICATION_FAILED', 'digest-mismatch'));
});

test('a tag that moved changes nothing for who asks by digest', async () => {
  await using at = await setUp();
  const approved = at.component(image('approved'));
  at.component(image('moved'));
  const { release } = await at.pull(approved);
  assert.equal(await readFile(join(release.root, 'app/site.txt'), 'utf8'), 'approved');
});

// spec: 7.2/DEPLOY_DIGEST_VERIFICATION_FAILED
test('a corrupt manifest and a corrupt blob are digest mismatches and leave no release', async () => {
  await using at = await setUp();
  const wanted = at.component(image());
  for (const match of ['/manifests/', '/blobs/']) {
    using _ = at.registry.fault({ kind: 'corrupt', match });
    await assert.rejects(at.pull(wanted), fails('DEPLOY_DIGEST_VERIFICATION_FAILED', 'digest-mismatch'));
  }
  assert.deepEqual(await readdir(join(at.directory, 'rel')), []);
  assert.deepEqual(await readdir(join(at.directory, 'partial')), []);
});

// spec: 7.2/DEPLOY_ARTIFACT_MISSING
test('a missing manifest and a missing blob are artifacts that are gone', async () => {
  await using at = await setUp();
  const missing = { ...at.component(image()), digest: sha256('nothing') };
  await assert.rejects(at.pull(missing), fails('DEPLOY_ARTIFACT_MISSING', 'artifact-missing'));
  const [layer] = image().blobs.keys();
  if (layer) at.registry.remove('team/web', layer);
  await assert.rejects(
    at.pull(at.component({ ...image(), blobs: new Map() })),
    fails('DEPLOY_ARTIFACT_MISSING', 'artifact-missing'),
  );
});

// spec: 7.2/DEPLOY_PULL_FAILED
test('a registry that answers 5xx twice is asked again; one that goes on is unreachable', async () => {
  await using at = await setUp();
  const wanted = at.component(image());
  {
    using _ = at.registry.fault({ kind: 'status', match: '/manifests/', status: 503, times: 2 });
    await at.pull(wanted);
  }
  using _ = at.registry.fault({ kind: 'status', match: '/manifests/', status: 500 });
  await assert.rejects(at.pull(at.component(image('two'))), fails('DEPLOY_PULL_FAILED', 'registry-unreachable'));
});

// spec: 7.2/DEPLOY_PULL_FAILED
test('a registry that is not there, hangs or trickles is unreachable, each in bounded time', async () => {
  await using at = await setUp({ limits: { answerMs: 100, graceMs: 200, tries: 1, bytesPerSecond: 1_000_000 } });
  const wanted = at.component(image());
  {
    using _ = at.registry.fault({ kind: 'hang', match: '/manifests/' });
    await assert.rejects(at.pull(wanted), fails('DEPLOY_PULL_FAILED', 'registry-unreachable'));
  }
  {
    using _ = at.registry.fault({ kind: 'trickle', match: '/blobs/', everyMs: 30 });
    await assert.rejects(at.pull(wanted), fails('DEPLOY_PULL_FAILED', 'registry-unreachable'));
  }
  await at.registry[Symbol.asyncDispose]();
  await assert.rejects(at.pull(at.component(image('new'))), fails('DEPLOY_PULL_FAILED', 'registry-unreachable'));
});

test('a bearer challenge is answered with the credentials of the task; without them the registry refuses', async () => {
  await using known = await setUp({ credentials });
  await known.pull(known.component(image()));
  assert.equal(known.registry.requests.filter(({ path }) => path === '/token').length, 1);
  await using unknown = await setUp({ credentials, known: false });
  await assert.rejects(unknown.pull(unknown.component(image())), fails('DEPLOY_PULL_FAILED', 'registry-unauthorized'));
});

test('a redirect of a blob is followed and the authorization stays behind', async () => {
  await using at = await setUp({ credentials });
  await using storage = await startRegistry();
  storage.push('team/web', image());
  using _ = at.registry.fault({ kind: 'redirect', match: '/blobs/', to: storage.origin });
  await at.pull(at.component(image()));
  assert.ok(storage.requests.length > 0);
  assert.deepEqual([...new Set(storage.requests.map(({ authorization }) => authorization))], [undefined]);
});

test('a redirect to plain HTTP off this machine is not followed', async () => {
  await using at = await setUp();
  using _ = at.registry.fault({ kind: 'redirect', match: '/blobs/', to: 'http://storage.example' });
  await assert.rejects(at.pull(at.component(image())), fails('DEPLOY_PULL_FAILED', 'unclassified'));
});

test('Docker-Content-Digest is never believed', async () => {
  await using at = await setUp();
  const server = createServer((_request, response) => {
    response.setHeader('docker-content-digest', image().digest).end('{"schemaVersion":2}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const lying = { ...at.component(image()), repository: `127.0.0.1:${port}/team/web` };
  await assert.rejects(at.pull(lying), fails('DEPLOY_DIGEST_VERIFICATION_FAILED', 'digest-mismatch'));
  server.close();
});

test('a document that is manifest and index at once is refused', async () => {
  await using at = await setUp();
  const { manifests } = image();
  const both = Buffer.from(JSON.stringify({ ...JSON.parse(manifests[0].bytes.toString()), manifests: [] }));
  const manifest = { ...manifests[0], bytes: both, digest: sha256(both) };
  const wanted = at.component({ ...image(), digest: manifest.digest, manifests: [manifest] });
  await assert.rejects(at.pull(wanted), fails('DEPLOY_PULL_FAILED', 'image-refused'));
});

test('a tree whose image files changed has another digest and is rebuilt; added files do not count', async () => {
  await using at = await setUp();
  const wanted = at.component(image());
  const { release } = await at.pull(wanted);
  await writeFile(join(release.root, 'app/cache.txt'), 'made by the process');
  assert.equal((await at.releases.identifyPath(release.root)).digest, image().digest);
  await writeFile(join(release.root, 'app/site.txt'), 'evil');
  const changed = await at.releases.identifyPath(release.root);
  assert.notEqual(changed.digest, image().digest);
  assert.match(changed.reason ?? '', /app\/site\.txt/);
  await at.pull(wanted);
  assert.equal((await at.releases.identifyPath(release.root)).digest, image().digest);
});

test('a path outside every release has no digest', async () => {
  await using at = await setUp();
  assert.equal((await at.releases.identifyPath(at.directory)).digest, null);
  assert.equal((await at.releases.identifyPath(join(at.directory, 'rel', 'ff', 'root'))).digest, null);
});

test('pruning keeps what is named, with its blobs, and nothing else', async () => {
  await using at = await setUp();
  const kept = await at.pull(at.component(image('kept')));
  await at.pull(at.component(image('gone')));
  await at.releases.prune(new Set([kept.release.digest]));
  assert.deepEqual(await readdir(join(at.directory, 'rel')), [kept.release.digest.slice(7)]);
  assert.equal((await at.pull(at.component(image('kept')))).bytes, 0);
});
