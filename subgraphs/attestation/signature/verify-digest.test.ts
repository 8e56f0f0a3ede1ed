import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, sign, verify } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { p256Key, verifyDigest } from './verify-digest.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;

const digestOf = (message: Uint8Array): Buffer => createHash('sha256').update(message).digest();

test('a signature is good for the digest of its message and for no other digest or key', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (message) => {
      const signature = sign('sha256', message, privateKey);
      const digest = digestOf(message);
      assert.equal(verifyDigest(digest, publicKey, signature), true);
      assert.equal(verifyDigest(digest, other, signature), false);
      assert.equal(verifyDigest(digestOf(digest), publicKey, signature), false);
    }),
    { numRuns: 60 },
  );
});

test('what is changed in a signature is refused as the platform’s own verifier refuses it', () => {
  const message = Buffer.from('landed');
  const signature = sign('sha256', message, privateKey);
  const changes = fc.record({ at: fc.nat({ max: signature.length - 1 }), by: fc.integer({ min: 1, max: 255 }) });
  fc.assert(
    fc.property(changes, ({ at, by }) => {
      const changed = Buffer.from(signature);
      changed.writeUInt8(changed.readUInt8(at) ^ by, at);
      assert.equal(verify('sha256', message, publicKey, changed), false);
      assert.equal(verifyDigest(digestOf(message), publicKey, changed), false);
    }),
    { numRuns: 200 },
  );
});

test('a signature of other bytes than one DER sequence of two numbers is none', () => {
  const message = Buffer.from('landed');
  const good = sign('sha256', message, privateKey);
  for (const bad of [
    Buffer.alloc(0),
    good.subarray(0, -1),
    Buffer.concat([good, Buffer.from([0])]),
    Buffer.from('3006020100020100', 'hex'),
  ])
    assert.equal(verifyDigest(digestOf(message), publicKey, bad), false);
});

test('only the SPKI of a P-256 key is one', () => {
  const spkiOf = (curve: string) =>
    generateKeyPairSync('ec', { namedCurve: curve }).publicKey.export({ format: 'der', type: 'spki' });
  assert.ok(p256Key(spkiOf('P-256')));
  assert.equal(p256Key(spkiOf('P-384')), undefined);
  assert.equal(p256Key(Buffer.from('no key')), undefined);
  assert.equal(p256Key(Buffer.concat([spkiOf('P-256'), Buffer.from([0])])), undefined);
});
