import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { annotationKeys } from '@landfall/kernel/oci/attachment';
import fc from 'fast-check';
import {
  attached,
  BUNDLE_TYPE,
  bundleLayer,
  cosignLayer,
  ENVELOPE_TYPE,
  envelopeLayer,
  type Layer,
  SIMPLE_SIGNING,
} from './layers.fixture.ts';
import { provenance1, simpleSigning } from './payloads.fixture.ts';
import { createKeys, trusted } from './signers.fixture.ts';
import { createSigstore } from './sigstore.fixture.ts';
import { judge } from './statement-judgement.ts';

const image = sha256('image');
const keys = createKeys();
const sigstore = await createSigstore();
const leaf = await sigstore.fulcio.issue();
const signers = [trusted({ keys, trustedRoot: sigstore.root() }), trusted({ trustedRoot: sigstore.root() })];

const good: readonly Layer[] = [
  cosignLayer(simpleSigning(image), keys, sigstore),
  cosignLayer(simpleSigning(image), leaf, sigstore),
  envelopeLayer(provenance1(image), keys, sigstore),
  envelopeLayer(provenance1(image), leaf, sigstore),
  await bundleLayer(provenance1(image), keys, sigstore),
  await bundleLayer(provenance1(image), leaf, sigstore),
];

const anyWord = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    '',
    '\0',
    '\ud800',
    '{}',
    '[]',
    'null',
    '0',
    'AAAA',
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
  ),
  fc.json({ maxDepth: 3 }),
);
const anyAnnotations = fc.dictionary(fc.constantFrom<string>(...Object.values(annotationKeys)), anyWord);

test('whatever is attached to an image is an answer, and no pass', () => {
  const anyLayer = fc.record({
    mediaType: fc.constantFrom(SIMPLE_SIGNING, ENVELOPE_TYPE, BUNDLE_TYPE),
    content: fc.oneof(
      anyWord.map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
    ),
    annotations: anyAnnotations,
  });
  fc.assert(
    fc.property(anyLayer, (layer) => {
      for (const { status, state } of judge([attached(image, layer)], signers))
        assert.deepEqual([status === 'pass', state], [false, 'missing']);
    }),
    { numRuns: 500 },
  );
});

/** Replaces one leaf of a document. */
const changed = (value: unknown, path: number, word: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return word;
  const names = Object.keys(value);
  const name = names[path % Math.max(1, names.length)];
  if (name === undefined) return word;
  const item = changed(Reflect.get(value, name), Math.floor(path / Math.max(1, names.length)), word);
  return Array.isArray(value) ? value.with(Number(name), item) : { ...value, [name]: item };
};

const anyLeaf = fc.oneof(anyWord, fc.integer(), fc.constantFrom(null, true, [], {}));
const anyPath = fc.nat({ max: 1_000_000 });

test('a good statement in which something is another throws nothing, whatever it is', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...good),
      anyPath,
      anyLeaf,
      anyAnnotations,
      fc.boolean(),
      (layer, path, word, input, isSeparate) => {
        const annotations = isSeparate ? { ...layer.annotations, ...input } : layer.annotations;
        const document: unknown = JSON.parse(layer.content.toString());
        const content = isSeparate ? layer.content : Buffer.from(JSON.stringify(changed(document, path, word)));
        const found = judge([attached(image, { ...layer, content, ...(annotations && { annotations }) })], signers);
        assert.ok(found.length > 0);
        for (const { status, state, reason } of found) {
          assert.equal(status === 'pass', state !== 'missing');
          assert.ok(state === 'proven' || reason !== null);
        }
      },
    ),
    { numRuns: 600 },
  );
});

test('one bit of a certificate, a signature or a log entry makes a statement throw nothing', () => {
  const ofLeaf = good.filter(({ content }) => content.length > 0);
  fc.assert(
    fc.property(fc.constantFrom(...ofLeaf), anyPath, fc.integer({ min: 0, max: 7 }), (layer, at, bit) => {
      const content = Buffer.from(layer.content);
      content.writeUInt8(content.readUInt8(at % content.length) ^ (1 << bit), at % content.length);
      const certificate = Buffer.from(leaf.certificate);
      certificate.writeUInt8(certificate.readUInt8(at % certificate.length) ^ (1 << bit), at % certificate.length);
      const pem = `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----`;
      const annotations = { ...layer.annotations, [annotationKeys.certificate]: pem };
      for (const each of [
        { ...layer, content },
        { ...layer, annotations },
      ])
        assert.ok(judge([attached(image, each)], signers).length > 0);
    }),
    { numRuns: 500 },
  );
});
