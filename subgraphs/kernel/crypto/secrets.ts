import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { sha256Bytes } from './digest.ts';

/** Root keys that derive keys and seal secrets. The first one is current, and the others are being rotated out. */
export type Secrets = Readonly<{
  /** A key for one purpose (HKDF-SHA-256, RFC 5869) from the current root key, 32 bytes unless given. */
  derive(purpose: string, length?: number): Buffer;
  /** Derives the key from every root key, current first: verifiers must accept all of them during a rotation. */
  deriveAll(purpose: string, length?: number): readonly Buffer[];
  /** Encrypts a secret (AES-256-GCM); it can be opened only with the same tenant and name. */
  seal(tenant: string, name: string, plaintext: string | Uint8Array): Buffer;
  /** Opens what `seal` made. Throws when it was sealed for another tenant or name, under an unknown key, or altered. */
  open(tenant: string, name: string, sealed: Uint8Array): Buffer;
}>;

type Key = Readonly<{ id: Buffer; root: Uint8Array; sealing: Buffer }>;

// A sealed row is: version, key id, nonce, tag, ciphertext.
const version = 1;
const keyIdBytes = 8;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = 1 + keyIdBytes + nonceBytes + tagBytes;

const hkdf = (root: Uint8Array, purpose: string, length = 32): Buffer =>
  Buffer.from(hkdfSync('sha256', root, 'landfall', purpose, length));

const keyOf = (root: Uint8Array): Key => ({
  id: hkdf(root, 'key-id', keyIdBytes),
  root,
  sealing: hkdf(root, 'seal/v1'),
});

// JSON keeps ("ab","c") and ("a","bc") apart.
const boundTo = (tenant: string, name: string): Buffer => Buffer.from(JSON.stringify([tenant, name]));

const seal = (key: Key, bound: Buffer, plaintext: string | Uint8Array): Buffer => {
  // Random nonces are safe to 2^32 seals a key (SP 800-38D 8.3); people write secrets, so there are far fewer.
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key.sealing, nonce, { authTagLength: tagBytes }).setAAD(bound);
  const body = [cipher.update(Buffer.from(plaintext)), cipher.final()];
  return Buffer.concat([Buffer.of(version), key.id, nonce, cipher.getAuthTag(), ...body]);
};

const open = (keys: readonly Key[], bound: Buffer, sealed: Uint8Array): Buffer => {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (bytes.length < headBytes || bytes[0] !== version) throw new Error('These bytes are not a sealed secret.');
  const id = bytes.subarray(1, 1 + keyIdBytes);
  const key = keys.find((candidate) => candidate.id.equals(id));
  if (!key) throw new Error(`The secret was sealed by the root key ${id.toString('hex')}, which is not configured.`);
  const nonce = bytes.subarray(1 + keyIdBytes, headBytes - tagBytes);
  const decipher = createDecipheriv('aes-256-gcm', key.sealing, nonce, { authTagLength: tagBytes })
    .setAAD(bound)
    .setAuthTag(bytes.subarray(headBytes - tagBytes, headBytes));
  return Buffer.concat([decipher.update(bytes.subarray(headBytes)), decipher.final()]);
};

/**
 * Creates the sealing of secrets under root keys of 32 bytes each, the current one first (`root-key.ts` reads them).
 */
export const createSecrets = (roots: readonly [Uint8Array, ...Uint8Array[]]): Secrets => {
  const [first, ...retired] = roots;
  const current = keyOf(first);
  const keys = [current, ...retired.map(keyOf)];
  return {
    derive: (purpose, length) => hkdf(current.root, `derive/${purpose}`, length),
    deriveAll: (purpose, length) => keys.map(({ root }) => hkdf(root, `derive/${purpose}`, length)),
    seal: (tenant, name, plaintext) => seal(current, boundTo(tenant, name), plaintext),
    open: (tenant, name, sealed) => open(keys, boundTo(tenant, name), sealed),
  };
};

/** Whether two secrets are equal, in a time that reveals neither their difference nor their length. */
export const constantTimeEqual = (left: string | Uint8Array, right: string | Uint8Array): boolean =>
  timingSafeEqual(sha256Bytes(left), sha256Bytes(right));
