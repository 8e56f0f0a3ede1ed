import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Digest, sha256 } from '../crypto/digest.ts';
import { checkDigest, readManifest } from './manifest.ts';

const digestOf = (digit: string): Digest => `sha256:${digit.repeat(64)}`;
const INDEX = 'application/vnd.oci.image.index.v1+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const DOCKER = 'application/vnd.docker.distribution.manifest.v2+json';

const bytes = (document: unknown): Buffer => Buffer.from(JSON.stringify(document));
const read = (document: unknown, contentType: string) => readManifest(bytes(document), contentType);

const image = { config: { digest: digestOf('c') }, layers: [{ digest: digestOf('1') }] };
const amd64 = { digest: digestOf('a'), platform: { os: 'linux', architecture: 'amd64' } };
const arm = { digest: digestOf('b'), platform: { os: 'linux', architecture: 'arm', variant: 'v7' } };

test('an image manifest is what its bytes hash to', () => {
  const document = { ...image, mediaType: MANIFEST };
  assert.deepEqual(read(document, MANIFEST), {
    digest: sha256(bytes(document)),
    mediaType: MANIFEST,
    platforms: [],
    labels: { source: null, revision: null, version: null },
    config: digestOf('c'),
  });
});

test('labels in annotations are read, and what is no word is none', () => {
  const name = (label: string) => `org.opencontainers.image.${label}`;
  const labelled = (annotations: unknown) => {
    const manifest = read({ ...image, mediaType: MANIFEST, annotations }, MANIFEST);
    return typeof manifest === 'string' ? manifest : manifest.labels;
  };
  const labels = { source: 'https://forge.example/shop/web', revision: 'a'.repeat(40), version: '1.2.3' };
  const annotations = Object.fromEntries(Object.entries(labels).map(([label, value]) => [name(label), value]));
  assert.deepEqual(labelled({ ...annotations, other: 'x' }), labels);
  const none = { source: null, revision: null, version: null };
  for (const wrong of ['', 'two words', 'line\nbreak', '\u0000', '\u202e', 7, null, {}, 'x'.repeat(3_000)])
    assert.deepEqual(labelled(Object.fromEntries(Object.keys(labels).map((label) => [name(label), wrong]))), none);
  for (const wrong of [null, [], 'text', 1]) assert.deepEqual(labelled(wrong), none);
});

test('a manifest that does not name its type has the one it was served as', () => {
  const manifest = read(image, `${DOCKER}; charset=utf-8`);
  assert.ok(typeof manifest !== 'string');
  assert.equal(manifest.mediaType, DOCKER);
});

test('an index names its platforms in order, the first entry of each, and no attestations', () => {
  const attestation = { digest: digestOf('d'), platform: { os: 'unknown', architecture: 'unknown' } };
  const second = { ...amd64, digest: digestOf('e') };
  const index = read({ mediaType: INDEX, manifests: [arm, amd64, second, attestation] }, INDEX);
  assert.ok(typeof index !== 'string');
  assert.deepEqual(index.platforms, [
    { platform: 'linux/amd64', digest: digestOf('a') },
    { platform: 'linux/arm/v7', digest: digestOf('b') },
  ]);
});

test('what is both, neither, of a foreign type or no JSON is refused', () => {
  const refused = [
    read({ mediaType: INDEX, manifests: [amd64], ...image }, INDEX),
    read({ mediaType: INDEX }, INDEX),
    read({ ...image, mediaType: INDEX }, INDEX),
    read({ manifests: [amd64], mediaType: MANIFEST }, MANIFEST),
    read({ manifests: [{ ...amd64, digest: 'sha256:short' }] }, INDEX),
    read(image, 'text/html'),
    readManifest(Buffer.from('<html>'), MANIFEST),
  ];
  for (const answer of refused) assert.equal(typeof answer, 'string');
});

test('the registry’s word and the digest asked for must both be the hash of the bytes', () => {
  const manifest = read({ ...image, mediaType: MANIFEST }, MANIFEST);
  assert.ok(typeof manifest !== 'string');
  assert.equal(checkDigest(manifest, undefined, '1.0.0'), undefined);
  assert.equal(checkDigest(manifest, manifest.digest, manifest.digest), undefined);
  assert.match(checkDigest(manifest, digestOf('0'), '1.0.0') ?? '', /The registry says/);
  assert.match(checkDigest(manifest, undefined, digestOf('0')) ?? '', /was asked for/);
});
