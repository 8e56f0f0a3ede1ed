import assert from 'node:assert/strict';
import { createPublicKey, ECDH, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { localSigner } from '@landfall/kernel/crypto/signing/local-signer';
import { NOW, testKey, testRoot } from '../testing/kits.ts';
import { checkSuccessors, roots, type SignedRoot } from './root.ts';
import { documentText } from './signed-document.ts';

const [a, b, c, d, e] = [testKey(), testKey(), testKey(), testKey(), testKey()];

const refuses = (installed: SignedRoot | undefined, next: SignedRoot, code: string): void =>
  assert.throws(() => checkSuccessors(installed, [next], NOW), { code });

test('a root follows the one before it when enough keys of both have signed it', async () => {
  const first = await testRoot([a, b, c], { threshold: 2 });
  checkSuccessors(undefined, [first], NOW);
  checkSuccessors(first, [await testRoot([c, d, e], { version: 2, threshold: 3 }, [b])], NOW);
});

test('a root without enough signatures of the old keys or of its own is refused', async () => {
  const first = await testRoot([a, b, c], { threshold: 2 });
  refuses(first, await testRoot([c, d, e], { version: 2, threshold: 3 }), 'root_untrusted');
  const ofOldKeysOnly = roots.draft((await testRoot([d, e], { version: 2 })).value);
  refuses(first, await roots.sign(await roots.sign(ofOldKeysOnly, a), b), 'root_untrusted');
  refuses(undefined, await testRoot([a], { threshold: 2 }), 'root_untrusted');
});

test('one key counts once, however often it signed', async () => {
  const root = await testRoot([a, b], { threshold: 2 });
  const [only] = (await testRoot([a], { ...root.value })).envelope.signatures;
  assert.ok(only);
  const twice = { ...root, envelope: { ...root.envelope, signatures: [only, { ...only, keyid: b.keyId }] } };
  refuses(undefined, twice, 'root_untrusted');
});

test('a root with one key in two encodings is refused', async () => {
  const key = localSigner(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  const header = key.spki.subarray(0, -65);
  const point = ECDH.convertKey(key.spki.subarray(-65), 'prime256v1', undefined, undefined, 'compressed');
  assert.ok(Buffer.isBuffer(point));
  const short = Buffer.from(header);
  for (const at of [1, short.length - 2]) short[at] = (short[at] ?? 0) - 32;
  const spki = Buffer.concat([short, point]);
  assert.ok(createPublicKey({ key: spki, format: 'der', type: 'spki' }).equals(key.publicKey));
  const keys = [key.spki, spki].map((each) => each.toString('base64'));
  refuses(undefined, await testRoot([key], { threshold: 2, keys }), 'VAL_INVALID_VALUE');
});

test('roots are installed in order, each once', async () => {
  const first = await testRoot([a, b]);
  refuses(first, first, 'root_out_of_order');
  refuses(first, await testRoot([a, b], { version: 3 }), 'root_out_of_order');
  refuses(await testRoot([a, b], { version: 2 }), first, 'root_out_of_order');
});

test('a root that has expired by the anchored time is refused', async () => {
  refuses(undefined, await testRoot([a, b], { expiresAt: '2026-11-27T12:00:00Z' }), 'root_expired');
});

test('a site that missed the whole life of a root follows several at once, of which the last is current', async () => {
  const first = await testRoot([a, b]);
  const missed = await testRoot([a, b], { version: 2, expiresAt: '2026-11-27T11:00:00Z' });
  const last = await testRoot([a, b], { version: 3 });
  checkSuccessors(first, [missed, last], NOW);
  assert.throws(() => checkSuccessors(first, [missed], NOW), { code: 'root_expired' });
  assert.throws(() => checkSuccessors(first, [last, missed], NOW), { code: 'root_out_of_order' });
});

test('a root that drops a revocation of the one before it is refused', async () => {
  const revoked = sha256('a kit');
  const first = await testRoot([a, b, c], { revokedKits: [revoked], revokedKeys: [c.keyId] });
  refuses(first, await testRoot([a, b], { version: 2, revokedKeys: [c.keyId] }), 'VAL_INVALID_VALUE');
  refuses(first, await testRoot([a, b], { version: 2, revokedKits: [revoked] }), 'VAL_INVALID_VALUE');
  checkSuccessors(first, [await testRoot([a, b], { version: 2, revokedKits: [revoked], revokedKeys: [c.keyId] })], NOW);
});

test('a signature of a key that the root revokes does not count', async () => {
  refuses(undefined, await testRoot([a, b], { threshold: 2, revokedKeys: [b.keyId] }), 'root_untrusted');
});

test('a root is read as it was written, and any other spelling of its payload is refused', async () => {
  const root = await testRoot([a, b]);
  assert.deepEqual(roots.read(documentText(root)).value, root.value);
  const payload = Buffer.from(` ${root.envelope.payload.toString()}`);
  const respelled = { ...root, envelope: { ...root.envelope, payload } };
  assert.throws(() => roots.read(documentText(respelled)), { code: 'VAL_SCHEMA_MISMATCH' });
});
