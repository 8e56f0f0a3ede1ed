import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../core/fault.ts';
import { type Envelope, envelopeJson, pae, parseEnvelope, signEnvelope, verifyEnvelope } from './dsse.ts';
import { localSigner } from './signing/local-signer.ts';

const p256 = () => localSigner(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
const ed25519 = () => localSigner(generateKeyPairSync('ed25519').privateKey);
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const refused = (value: unknown, code: string, location: RegExp) =>
  assert.throws(
    () => parseEnvelope(value),
    (error) => error instanceof Fault && error.code === code && location.test(error.message),
    String(location),
  );

test('the signed bytes are those of the protocol’s own example', () => {
  assert.equal(
    pae('http://example.com/HelloWorld', Buffer.from('hello world')).toString(),
    'DSSEv1 29 http://example.com/HelloWorld 11 hello world',
  );
});

test('lengths count bytes, and no two pairs of type and payload are signed as the same bytes', () => {
  assert.equal(pae('ü', Buffer.from('é')).toString(), 'DSSEv1 2 ü 2 é');
  const pair = fc.tuple(
    fc.string({ unit: fc.constantFrom('1', ' ', 'a') }),
    fc.string({ unit: fc.constantFrom('1', ' ') }),
  );
  fc.assert(
    fc.property(pair, pair, (one, other) => {
      const [left, right] = [one, other].map(([type, payload]) => pae(type, Buffer.from(payload)));
      assert.equal(left?.equals(right ?? Buffer.alloc(0)), one[0] === other[0] && one[1] === other[1]);
    }),
  );
});

test('an envelope signed by either kind of key survives JSON and verifies under that key alone', async () => {
  const [first, second] = [p256(), ed25519()];
  for (const signer of [first, second]) {
    const sent = json(envelopeJson(await signEnvelope(signer, 'application/vnd.in-toto+json', Buffer.from('{}'))));
    const envelope = parseEnvelope(sent);
    assert.deepEqual(verifyEnvelope(envelope, [first, second]), [signer]);
    assert.equal(envelope.signatures[0]?.keyid, signer.keyId);
  }
});

test('any change of type, payload or signature ends the signature', async () => {
  const signer = p256();
  const envelope = await signEnvelope(signer, 'type', Buffer.from('payload'));
  const [signature] = envelope.signatures;
  assert.ok(signature);
  const cut = { ...signature, sig: signature.sig.subarray(0, -1) };
  const longer = { ...signature, sig: Buffer.concat([signature.sig, Buffer.of(0)]) };
  const changes: readonly Envelope[] = [
    { ...envelope, payloadType: 'typ' },
    { ...envelope, payload: Buffer.from('payloae') },
    { ...envelope, payload: Buffer.from('') },
    { ...envelope, signatures: [cut] },
    { ...envelope, signatures: [longer] },
    { ...envelope, signatures: [{ ...signature, sig: Buffer.from('no signature') }] },
    { ...envelope, signatures: [] },
  ];
  for (const change of changes) assert.deepEqual(verifyEnvelope(change, [signer]), []);
});

test('a wrong hint changes nothing, neither for the key that signed nor for another', async () => {
  const [signer, other] = [p256(), p256()];
  const envelope = await signEnvelope(signer, 'type', Buffer.from('payload'));
  const hinted = (keyid: string) => ({
    ...envelope,
    signatures: envelope.signatures.map((one) => ({ ...one, keyid })),
  });
  for (const keyid of ['', other.keyId, 'SHA256:whatever']) {
    assert.deepEqual(verifyEnvelope(hinted(keyid), [other, signer]), [signer]);
    assert.deepEqual(verifyEnvelope(hinted(keyid), [other]), []);
  }
});

test('two signatures answer with both keys, one key that signed twice with itself', async () => {
  const [one, two, three] = [p256(), ed25519(), p256()];
  const payload = Buffer.from('payload');
  const envelopes = await Promise.all([one, two, one].map((signer) => signEnvelope(signer, 'type', payload)));
  const signatures = envelopes.flatMap((envelope) => envelope.signatures);
  assert.deepEqual(verifyEnvelope({ payloadType: 'type', payload, signatures }, [one, two, three]), [one, two]);
});

test('keys of other issuers verify with the hash of their curve, weak ones never', () => {
  const signed = pae('type', Buffer.from('payload'));
  const envelopeBy = (digest: string, privateKey: KeyObject): readonly [Envelope, { publicKey: KeyObject }[]] => [
    {
      payloadType: 'type',
      payload: Buffer.from('payload'),
      signatures: [{ keyid: '', sig: sign(digest, signed, privateKey) }],
    },
    [{ publicKey: createPublicKey(privateKey) }],
  ];
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
  const weak = generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey;
  const bitcoin = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey;
  assert.equal(verifyEnvelope(...envelopeBy('sha384', p384)).length, 1);
  assert.equal(verifyEnvelope(...envelopeBy('sha256', rsa)).length, 1);
  assert.equal(verifyEnvelope(...envelopeBy('sha256', p384)).length, 0);
  assert.equal(verifyEnvelope(...envelopeBy('sha256', weak)).length, 0);
  assert.equal(verifyEnvelope(...envelopeBy('sha256', bitcoin)).length, 0);
});

const good = { payload: 'e30=', payloadType: 'type', signatures: [{ keyid: 'a', sig: 'AAAA' }] };

test('a strict reading refuses what is no envelope and names the field', () => {
  assert.deepEqual(parseEnvelope(good).payload, Buffer.from('{}'));
  for (const value of [null, undefined, 7, 'text', [good]]) refused(value, 'VAL_SCHEMA_MISMATCH', /not an object/);
  refused({ ...good, payload: 7 }, 'VAL_SCHEMA_MISMATCH', /^payload of/);
  refused({ ...good, payload: undefined }, 'VAL_SCHEMA_MISMATCH', /^payload of/);
  for (const payload of ['e30', 'e31=', 'e 30=', 'e30=\n', 'e30==', '-_+/', '!'])
    refused({ ...good, payload }, 'VAL_INVALID_FORMAT', /^payload of/);
  refused({ ...good, payloadType: '' }, 'VAL_SCHEMA_MISMATCH', /^payloadType/);
  refused({ ...good, payloadType: 'a'.repeat(513) }, 'VAL_TOO_LONG', /^payloadType/);
  for (const signatures of [undefined, [], {}, 'AAAA'])
    refused({ ...good, signatures }, 'VAL_SCHEMA_MISMATCH', /^signatures/);
  refused({ ...good, signatures: [good.signatures[0], null] }, 'VAL_SCHEMA_MISMATCH', /signatures\[1\]/);
  refused({ ...good, signatures: [{ sig: '' }] }, 'VAL_SCHEMA_MISMATCH', /signatures\[0\]\.sig/);
  refused({ ...good, signatures: [{ keyid: 7, sig: 'AAAA' }] }, 'VAL_SCHEMA_MISMATCH', /signatures\[0\]\.keyid/);
});

test('sizes are bounded before anything is decoded', () => {
  const payload = Buffer.alloc(1_048_576).toString('base64');
  assert.equal(parseEnvelope({ ...good, payload }).payload.length, 1_048_576);
  refused({ ...good, payload: Buffer.alloc(1_048_577).toString('base64') }, 'VAL_TOO_LONG', /^payload of/);
  assert.throws(() => parseEnvelope(good, { maxPayloadBytes: 1 }), /longer than 1 bytes/);
  refused({ ...good, signatures: Array(17).fill({ sig: 'AAAA' }) }, 'VAL_TOO_LONG', /signatures/);
  refused({ ...good, signatures: [{ sig: Buffer.alloc(8_193).toString('base64') }] }, 'VAL_TOO_LONG', /\.sig/);
});

test('both alphabets, an absent hint and unknown fields are read, as envelope.md asks', () => {
  const payload = Buffer.from([0xfb, 0xff, 0xfe]);
  for (const text of ['+//+', '-__-']) assert.deepEqual(parseEnvelope({ ...good, payload: text }).payload, payload);
  const envelope = parseEnvelope({ ...good, later: 1, signatures: [{ sig: 'AAAA', extension: {} }] });
  assert.deepEqual(envelope.signatures, [{ keyid: '', sig: Buffer.alloc(3) }]);
  assert.deepEqual(Object.keys(envelope).sort(), ['payload', 'payloadType', 'signatures']);
});
