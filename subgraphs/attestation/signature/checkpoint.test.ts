import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import { checkpointText, openCheckpoint, signatureLine, signCheckpoint } from './checkpoint.ts';
import { cosignedMessage, cosignerKeyHash, findCosignature, parseCosigner } from './cosignature.ts';
import { hashedRekordBody } from './hashed-rekord.ts';
import { ed25519KeyId, parseCheckpoint } from './signed-note.ts';

const origin = 'landfall.example/log';
const head = { size: 8, rootHash: sha256Bytes('root') };

const newKey = () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    spki: publicKey.export({ type: 'spki', format: 'der' }),
    sign: async (bytes: Uint8Array) => sign(null, bytes, privateKey),
  };
};

const cosigner = (name: string) => {
  const key = newKey();
  const publicKey = key.spki.subarray(-32);
  const keyHash = cosignerKeyHash(name, publicKey);
  const vkey = `${name}+${keyHash.toString('hex')}+${Buffer.concat([Uint8Array.of(4), publicKey]).toString('base64')}`;
  const cosign = async (text: string, seconds: number): Promise<string> => {
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(seconds));
    return signatureLine(name, keyHash, Buffer.concat([time, await key.sign(cosignedMessage(text, seconds))]));
  };
  return { vkey, cosign };
};

test('a key id is the one that the specification of signed notes has for its example', () => {
  const key = Buffer.from('ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW', 'base64').subarray(1);
  assert.equal(ed25519KeyId('PeterNeumann', key).subarray(0, 4).toString('hex'), 'c74f20a3');
});

test('a signed checkpoint opens under its key and under no other key, name or text', async () => {
  const [key, other] = [newKey(), newKey()];
  const note = await signCheckpoint(origin, head, key);
  assert.match(
    note,
    /^landfall\.example\/log\n8\n[A-Za-z0-9+/]{43}=\n\n\u2014 landfall\.example\/log [A-Za-z0-9+/]+=*\n$/,
  );
  const opened = openCheckpoint(note, { origin, keys: [other, key] });
  assert.deepEqual([opened?.size, opened?.rootHash, opened?.key], [8, head.rootHash, key]);
  assert.equal(openCheckpoint(note, { origin, keys: [other] }), undefined);
  assert.equal(openCheckpoint(note, { origin: 'landfall.example', keys: [key] }), undefined);
  assert.equal(openCheckpoint(note.replace('\n8\n', '\n9\n'), { origin, keys: [key] }), undefined);
  assert.equal(openCheckpoint(note.replace(`\u2014 ${origin}`, '\u2014 .'), { origin, keys: [key] }), undefined);
});

test('an origin that no key name can be is refused', () => {
  for (const bad of ['', 'two words', 'a+b', 'a\nb']) assert.throws(() => checkpointText(bad, head), RangeError);
});

test('a cosignature is found by name and key, and only when it is over this checkpoint', async () => {
  const witness = cosigner('witness.example/w1');
  const note = await signCheckpoint(origin, head, newKey());
  const text = checkpointText(origin, head);
  const cosigned = note + (await witness.cosign(text, 1_679_315_147));
  const parsedCosigner = parseCosigner(witness.vkey);
  assert.ok(parsedCosigner);
  const signatures = parseCheckpoint(cosigned)?.signatures ?? [];
  const found = findCosignature(signatures, text, parsedCosigner);
  assert.equal(found?.cosignedAt.toISOString(), '2023-03-20T12:25:47.000Z');
  assert.ok(cosigned.endsWith(found.line));
  assert.equal(findCosignature(signatures, text.replace('8', '9'), parsedCosigner), undefined);
  const impostor = parseCosigner(cosigner('witness.example/w1').vkey);
  assert.ok(impostor && findCosignature(signatures, text, impostor) === undefined);
});

test('a verifier key whose hash, type or length is wrong is none', () => {
  const { vkey } = cosigner('w');
  assert.ok(parseCosigner(vkey));
  const [name, hash, key = ''] = vkey.split('+', 2).concat(vkey.split('+').slice(2).join('+'));
  assert.equal(parseCosigner(`${name}+00000000+${key}`), undefined);
  assert.equal(parseCosigner(`other+${hash}+${key}`), undefined);
  assert.equal(parseCosigner(`${name}+${hash}+A${key.slice(1)}`), undefined);
  assert.equal(parseCosigner(`${name}+${hash}+${key.slice(4)}`), undefined);
});

test('the body of a statement’s entry is canonical JSON', () => {
  const body = hashedRekordBody({
    paeDigest: Buffer.from([1]),
    signature: Buffer.from([2]),
    spki: Buffer.from([3]),
    keyDetails: 'PKIX_ECDSA_P256_SHA_256',
  });
  assert.equal(
    body.toString(),
    '{"apiVersion":"0.0.2","kind":"hashedrekord","spec":{"hashedRekordV002":{"data":{"algorithm":"SHA2_256","digest":"AQ=="},"signature":{"content":"Ag==","verifier":{"keyDetails":"PKIX_ECDSA_P256_SHA_256","publicKey":{"rawBytes":"Aw=="}}}}}}',
  );
});
