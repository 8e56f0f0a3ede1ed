import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { openSealed, sealTo } from './sealing.ts';
import { formatToken, parseToken } from './token.ts';

const pair = (namedCurve = 'P-256') => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
  return { publicKey, pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
};

test('what is sealed to a key opens with that key and context, and never looks the same twice', () => {
  const { publicKey, pem } = pair();
  const sealed = sealTo(publicKey, 'a secret — ünïcode', 'task-1');
  assert.equal(openSealed(pem, sealed, 'task-1'), 'a secret — ünïcode');
  assert.notDeepEqual(sealTo(publicKey, 'a secret', 'task-1'), sealTo(publicKey, 'a secret', 'task-1'));
});

test('another key, another context, or one changed bit opens nothing', () => {
  const { publicKey, pem } = pair();
  const sealed = sealTo(publicKey, 'a secret', 'task-1');
  assert.throws(() => openSealed(pair().pem, sealed, 'task-1'));
  assert.throws(() => openSealed(pem, sealed, 'task-2'));
  const bytes = Buffer.from(sealed.ciphertext, 'base64url');
  bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0);
  assert.throws(() => openSealed(pem, { ...sealed, ciphertext: bytes.toString('base64url') }, 'task-1'));
});

test('only P-256 keys are sealed to', () => {
  assert.throws(() => sealTo(pair('P-384').publicKey, 'a secret', 'task-1'), TypeError);
});

test('a registration token survives being written and read, and nothing else is one', () => {
  const token = { secret: 'a'.repeat(43), pin: 'b'.repeat(43) };
  assert.deepEqual(parseToken(` ${formatToken(token)}\n`), token);
  for (const text of ['', 'lfa_', 'lfa_short.pin', formatToken(token).slice(1), `${formatToken(token)}x`])
    assert.equal(parseToken(text), undefined);
});
