import { type KeyObject, verify } from 'node:crypto';

// Each curve has one hash, so that no sender chooses a weaker one (RFC 5480 4).
const curveDigests: Readonly<Record<string, string>> = {
  prime256v1: 'sha256',
  secp384r1: 'sha384',
  secp521r1: 'sha512',
};
const leastModulus = 2_048;

const digestFor = ({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): string | null | undefined => {
  const { namedCurve = '', modulusLength = 0 } = asymmetricKeyDetails;
  if (asymmetricKeyType === 'ed25519') return null;
  if (asymmetricKeyType === 'ec') return curveDigests[namedCurve];
  return asymmetricKeyType === 'rsa' && modulusLength >= leastModulus ? 'sha256' : undefined;
};

/** Verifies a signature: ECDSA in DER, Ed25519, or RSA of at least 2048 bits (PKCS #1 v1.5). Other keys give false. */
export const verifySignature = (publicKey: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean => {
  const digest = digestFor(publicKey);
  return digest !== undefined && verify(digest, bytes, publicKey, signature);
};
