import {
  createCipheriv,
  createDecipheriv,
  createECDH,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { Sealed } from './messages.ts';

/**
 * Sealing of a task's secrets to the agent's key: ephemeral ECDH on P-256, HKDF-SHA-256 (RFC 5869), AES-256-GCM.
 * Secrets in transit and in the agent's journal cannot be read without the key, which never leaves the host.
 */

const curve = 'prime256v1';
const tagBytes = 16;

const point = (x: string | undefined, y: string | undefined): Buffer =>
  Buffer.concat([Buffer.of(4), Buffer.from(x ?? '', 'base64url'), Buffer.from(y ?? '', 'base64url')]);

const publicPoint = (key: KeyObject): Buffer => {
  const { crv, x, y } = key.export({ format: 'jwk' });
  if (crv !== 'P-256') throw new TypeError(`secrets are sealed to P-256 keys, not ${crv ?? key.asymmetricKeyType}`);
  return point(x, y);
};

// Both points salt the key, so that it belongs to this pair and no other.
const keyFor = (shared: Buffer, ephemeral: Buffer, recipient: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', shared, Buffer.concat([ephemeral, recipient]), 'landfall agent task secrets v1', 32));

/** Seals `plaintext` to a P-256 public key; it opens only with the same `context`. */
export const sealTo = (recipient: KeyObject, plaintext: string, context: string): Sealed => {
  const to = publicPoint(recipient);
  const sender = createECDH(curve);
  const ephemeral = sender.generateKeys();
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyFor(sender.computeSecret(to), ephemeral, to), nonce);
  cipher.setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return {
    ephemeral: ephemeral.toString('base64url'),
    nonce: nonce.toString('base64url'),
    ciphertext: ciphertext.toString('base64url'),
  };
};

/** Opens the result of `sealTo`. Throws when it was altered, or sealed to another key or context. */
export const openSealed = (
  privateKeyPem: string,
  { ephemeral, nonce, ciphertext }: Sealed,
  context: string,
): string => {
  const privateKey = createPrivateKey(privateKeyPem);
  const own = publicPoint(createPublicKey(privateKey));
  const receiver = createECDH(curve);
  receiver.setPrivateKey(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url');
  const sender = Buffer.from(ephemeral, 'base64url');
  const bytes = Buffer.from(ciphertext, 'base64url');
  const key = keyFor(receiver.computeSecret(sender), sender, own);
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(0, -tagBytes)), decipher.final()]).toString('utf8');
};
