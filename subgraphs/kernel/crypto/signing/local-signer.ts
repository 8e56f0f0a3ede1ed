import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { sha256Hex } from '../digest.ts';
import type { Signer } from './signer.ts';

/** Key id of a public key: hex SHA-256 of its SPKI in DER. */
const keyIdOf = (spki: Uint8Array): string => sha256Hex(spki);

/** SubjectPublicKeyInfo, DER. */
const spkiOf = (publicKey: KeyObject): Buffer => publicKey.export({ type: 'spki', format: 'der' });

/** Signature algorithm of a key. Throws an Error if the key is neither P-256 nor Ed25519. */
const algorithmOf = (key: KeyObject): Signer['algorithm'] => {
  if (key.asymmetricKeyType === 'ed25519') return 'ed25519';
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (key.asymmetricKeyType === 'ec' && curve === 'prime256v1') return 'ecdsa-p256-sha256';
  throw new Error(`A signing key is P-256 or Ed25519, not ${curve ?? key.asymmetricKeyType}.`);
};

/** Facts of a signer's public key. Its id is that of its one usual encoding: a compressed point has the id of the whole. */
export const identityOf = (given: KeyObject): Omit<Signer, 'sign'> => {
  const publicKey = createPublicKey({ key: given.export({ format: 'jwk' }), format: 'jwk' });
  const spki = spkiOf(publicKey);
  return { keyId: keyIdOf(spki), publicKey, spki, algorithm: algorithmOf(publicKey) };
};

/** Signer whose private key is in this process. Throws an Error if the key is neither P-256 nor Ed25519. */
export const localSigner = (privateKey: KeyObject): Signer => {
  const identity = identityOf(createPublicKey(privateKey));
  const digest = identity.algorithm === 'ed25519' ? null : 'sha256';
  return { ...identity, sign: async (bytes) => sign(digest, bytes, privateKey) };
};
