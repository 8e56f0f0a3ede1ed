import { createPublicKey, type KeyObject } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';

/** Reads a P-256 public key from its SPKI in DER; undefined for any other bytes. */
export const p256Key = (spki: Buffer): KeyObject | undefined => {
  try {
    const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    const isExact = key.export({ format: 'der', type: 'spki' }).equals(spki);
    return isExact && key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
};

/** Verifies a DER ECDSA signature of a P-256 key over a message's SHA-256 digest (FIPS 186-5 6.4.2). */
export const verifyDigest = (digest: Uint8Array, key: KeyObject, signature: Uint8Array): boolean => {
  const { crv, x = '', y = '' } = key.export({ format: 'jwk' });
  if (crv !== 'P-256' || digest.length !== 32) return false;
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  try {
    return p256.verify(signature, digest, point, { prehash: false, lowS: false, format: 'der' });
  } catch {
    // The verifier throws at bytes that are no signature.
    return false;
  }
};
