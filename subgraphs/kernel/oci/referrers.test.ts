import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Fault } from '../core/fault.ts';
import { toTenantId } from '../core/ids.ts';
import { type Digest, sha256 } from '../crypto/digest.ts';
import { createHttpClient } from '../http/client.ts';
import { openEgress } from '../system/egress.ts';
import { type ArtifactLayer, buildArtifact, buildReferrersIndex, tagFor } from '../testing/oci-artifact.ts';
import { type DockerRegistry, dockerPrograms, startDockerRegistry } from '../testing/oci-docker.ts';
import { buildImage, buildIndex, type Image } from '../testing/oci-image.ts';
import { type Registry, type RegistryFault, startRegistry } from '../testing/oci-registry.ts';
import { needs } from '../testing/programs.ts';
import { type Attachments, annotationKeys, bounds } from './attachment.ts';
import { createReferrers } from './referrers.ts';
import { createRegistryClient } from './registry-client.ts';

const BUNDLE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const http = createHttpClient({ egress: openEgress });
after(() => http.close());
const referrers = createReferrers(createRegistryClient(http));

const read = ({ host, origin }: Pick<Registry, 'host' | 'origin'>, ...subjects: readonly Digest[]) =>
  referrers.read(
    { host, origin, tenant: toTenantId('acme'), correlationId: '01900000-0000-7000-8000-000000000000' },
    'shop/web',
    subjects,
  );

const complete = (answer: Attachments | Fault): Attachments => {
  if (answer instanceof Fault) throw answer;
  return answer;
};

const image = buildImage({ layers: [[{ path: 'app', content: 'hello' }]] });
const bundle = (text: string): ArtifactLayer => ({ mediaType: BUNDLE, content: Buffer.from(text) });
const signature = (text: string, value = 'c2ln'): ArtifactLayer => ({
  mediaType: 'application/vnd.dev.cosign.simplesigning.v1+json',
  content: Buffer.from(text),
  annotations: { [annotationKeys.signature]: value, 'org.example/other': 'kept by nobody' },
});
const envelope = (text: string): ArtifactLayer => ({
  mediaType: 'application/vnd.dsse.envelope.v1+json',
  content: Buffer.from(text),
});

const attach = (subject: Image, ...layers: readonly ArtifactLayer[]): Image =>
  buildArtifact({ subject: subject.manifests[0], artifactType: BUNDLE, layers });

const contents = ({ found }: Attachments): readonly string[] =>
  found.map(({ format, content }) => `${format} ${content}`).toSorted();

// spec: rulings/65
test('by the referrers API, by its fallback tag and by cosign’s tags the same is found', async () => {
  for (const hasReferrers of [true, false]) {
    await using registry = await startRegistry({ hasReferrers });
    registry.push('shop/web', image, '1');
    const artifact = attach(image, bundle('{"a":1}'));
    if (hasReferrers) registry.push('shop/web', artifact);
    else registry.push('shop/web', buildReferrersIndex([artifact]), tagFor(image.digest));
    registry.push('shop/web', buildArtifact({ layers: [signature('pay')] }), tagFor(image.digest, '.sig'));
    registry.push('shop/web', buildArtifact({ layers: [envelope('{}')] }), tagFor(image.digest, '.att'));
    const found = complete(await read(registry, image.digest));
    assert.deepEqual(contents(found), ['bundle {"a":1}', 'envelope {}', 'signature pay']);
    assert.deepEqual(found.unread, []);
    const signed = found.found.find(({ format }) => format === 'signature');
    assert.deepEqual(signed?.annotations, { [annotationKeys.signature]: 'c2ln' });
    assert.equal(signed?.subject, image.digest);
  }
});

test('a registry that has nothing is an answer', async () => {
  await using registry = await startRegistry();
  registry.push('shop/web', image, '1');
  assert.deepEqual(complete(await read(registry, image.digest)), { found: [], unread: [] });
});

test('two signatures over one payload are two, and one that is found twice is one', async () => {
  await using registry = await startRegistry({ hasReferrers: true });
  const two = [signature('pay', 'b25l'), signature('pay', 'dHdv')];
  registry.push('shop/web', buildArtifact({ layers: two }), tagFor(image.digest, '.sig'));
  registry.push('shop/web', buildArtifact({ layers: two, subject: image.manifests[0] }));
  assert.equal(complete(await read(registry, image.digest)).found.length, 2);
});

test('an index and each of its platforms are asked for', async () => {
  await using registry = await startRegistry({ hasReferrers: true });
  const amd64 = buildImage({ layers: [[{ path: 'a', content: 'a' }]], platform: 'linux/amd64' });
  const index = buildIndex([amd64]);
  registry.push('shop/web', index, '1');
  registry.push('shop/web', attach(index, bundle('index')));
  registry.push('shop/web', attach(amd64, bundle('platform')));
  const { found } = complete(await read(registry, index.digest, amd64.digest));
  assert.deepEqual(
    found.map(({ subject, content }) => [subject, String(content)]),
    [
      [index.digest, 'index'],
      [amd64.digest, 'platform'],
    ],
  );
});

test('what is no signed statement is passed by, and what cannot be read is told', async () => {
  await using registry = await startRegistry({ hasReferrers: true });
  const sbom = buildArtifact({
    subject: image.manifests[0],
    artifactType: 'application/spdx+json',
    layers: [bundle('never asked for')],
  });
  registry.push('shop/web', sbom);
  const other = buildImage({ layers: [[{ path: 'b', content: 'b' }]] });
  registry.push('shop/web', attach(other, bundle('of another')), tagFor(image.digest, '.sig'));
  registry.push('shop/web', attach(image, bundle('gone')));
  registry.remove('shop/web', sha256('gone'));
  registry.push('shop/web', attach(image, { mediaType: BUNDLE, content: Buffer.alloc(bounds.statementBytes + 1) }));
  const { found, unread } = complete(await read(registry, image.digest));
  assert.deepEqual(found, []);
  assert.deepEqual(unread.map((text) => text.replace(/^sha256\S*/, '…')).toSorted(), [
    `… is attached to ${other.digest}`,
    '… is gone',
    `… is larger than ${bounds.statementBytes} bytes`,
  ]);
});

test('who attaches without end costs what the bounds say', async () => {
  await using registry = await startRegistry({ hasReferrers: true });
  for (let i = 0; i <= bounds.referrers; i++) registry.push('shop/web', attach(image, bundle(String(i))));
  const many = Array.from({ length: bounds.layers + 1 }, (_, i) =>
    signature('pay', Buffer.from([i]).toString('base64')),
  );
  registry.push('shop/web', buildArtifact({ layers: many }), tagFor(image.digest, '.sig'));
  const { found, unread } = complete(await read(registry, image.digest));
  assert.equal(found.length, bounds.referrers + bounds.layers);
  assert.match(unread.join('\n'), /more than 64 artifacts.*more than 32 layers/s);
});

const faults: readonly (readonly [string, string, (registry: Registry) => RegistryFault])[] = [
  ['lies about a list', 'INT_INVALID_RESPONSE', () => ({ kind: 'corrupt', match: '/referrers/' })],
  ['corrupts a manifest', 'INT_INVALID_RESPONSE', () => ({ kind: 'corrupt', match: '/manifests/sha256:' })],
  ['corrupts a blob', 'INT_INVALID_RESPONSE', () => ({ kind: 'corrupt', match: '/blobs/' })],
  ['says another digest of a tag', 'INT_INVALID_RESPONSE', () => ({ kind: 'lie', match: '.sig', digest: sha256('x') })],
  [
    'sends a blob without end',
    'INT_INVALID_RESPONSE',
    () => ({ kind: 'bloat', match: '/blobs/', bytes: 5 << 20, isDeclared: false }),
  ],
  [
    'redirects for ever',
    'INT_INVALID_RESPONSE',
    ({ origin }) => ({ kind: 'redirect', match: '/referrers/', to: origin }),
  ],
  ['is broken', 'INT_CONNECTION_FAILED', () => ({ kind: 'status', match: '/referrers/', status: 503 })],
  ['refuses', 'INT_AUTH_FAILED', () => ({ kind: 'status', match: '/blobs/', status: 403 })],
  ['limits our rate', 'INT_RATE_LIMITED', () => ({ kind: 'status', match: '.att', status: 429 })],
];

for (const [name, code, fault] of faults)
  test(`a registry that ${name} is ${code}, and never an answer`, async () => {
    await using registry = await startRegistry({ hasReferrers: true });
    registry.push('shop/web', attach(image, bundle('{}')));
    registry.push('shop/web', buildArtifact({ layers: [signature('pay')] }), tagFor(image.digest, '.sig'));
    using _fault = registry.fault(fault(registry));
    const answer = await read(registry, image.digest);
    assert.ok(answer instanceof Fault);
    assert.equal(answer.code, code);
  });

describe('a registry of the kind that people run', await needs(...dockerPrograms), () => {
  let registry: DockerRegistry;
  before(async () => {
    registry = await startDockerRegistry();
  });
  after(() => registry[Symbol.asyncDispose]());

  test('has no referrers API, and is read by the tags', async () => {
    await registry.push('shop/web', image, '1');
    assert.deepEqual(complete(await read(registry, image.digest)), { found: [], unread: [] });
    await registry.attach('shop/web', buildReferrersIndex([attach(image, bundle('{"a":1}'))]), tagFor(image.digest));
    await registry.attach('shop/web', buildArtifact({ layers: [signature('pay')] }), tagFor(image.digest, '.sig'));
    await registry.attach('shop/web', buildArtifact({ layers: [envelope('{}')] }), tagFor(image.digest, '.att'));
    const found = complete(await read(registry, image.digest));
    assert.deepEqual(contents(found), ['bundle {"a":1}', 'envelope {}', 'signature pay']);
    assert.deepEqual(found.unread, []);
  });
});
