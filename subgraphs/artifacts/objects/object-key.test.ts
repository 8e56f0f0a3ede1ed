import assert from 'node:assert/strict';
import { resolve, sep } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeKeyPart, objectKey } from './object-key.ts';

test('six characters are encoded, and slash and colon become one underscore each: spec: 2.6/key-encoding', () => {
  assert.equal(encodeKeyPart('pkg:oci/shop@sha256:ab?x=1#f%20'), 'pkg_oci_shop_at_sha256_ab_q_x=1_h_f_p_20');
  assert.equal(encodeKeyPart('a/b'), encodeKeyPart('a:b'));
});

test('a key has its three encoded parts and no leading slash: spec: 2.6/object-key', () => {
  const parts = { bomRef: 'pkg:npm/a@1', serialNumber: 'urn:uuid:1', artifactId: '42' };
  // spec: 2.6/store-prefix
  assert.equal(objectKey({ prefix: 'artifacts', ...parts }), 'artifacts/artifacts/pkg_npm_a_at_1/urn_uuid_1/42.json');
  assert.equal(objectKey({ prefix: '', ...parts }), 'artifacts/pkg_npm_a_at_1/urn_uuid_1/42.json');
});

test('a long part is cut between characters and keeps a hash of the whole', () => {
  const long = `${'ü'.repeat(150)}a`;
  const encoded = encodeKeyPart(long);
  assert.match(encoded, /^ü+_[0-9a-f]{16}$/);
  assert.ok(Buffer.byteLength(encoded) <= 200);
  assert.notEqual(encodeKeyPart(`${'ü'.repeat(150)}b`), encoded);
});

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: fc.constantFrom('.', '/', '\\', '\0', '%', ':', '~', '\n', 'ü', '\u{1f980}'), maxLength: 300 }),
);

test('no bom-ref and no serial number leads a key out of its root, or into a part that a file system refuses', () => {
  fc.assert(
    fc.property(hostile, hostile, (bomRef, serialNumber) => {
      const key = objectKey({ prefix: 'artifacts', bomRef, serialNumber, artifactId: 'id' });
      const parts = key.split('/');
      assert.equal(parts.length, 5);
      assert.ok(resolve('/root', key).startsWith(`/root${sep}`));
      for (const part of parts) {
        assert.ok(Buffer.byteLength(part) > 0 && Buffer.byteLength(part) <= 200);
        assert.doesNotMatch(part, /^\.*$|[/\\:@?#%\p{Cc}]/u);
      }
    }),
  );
});

test('the same text has the same encoding, and an encoding is an encoding of itself', () => {
  fc.assert(fc.property(hostile, (text) => assert.equal(encodeKeyPart(encodeKeyPart(text)), encodeKeyPart(text))));
});
