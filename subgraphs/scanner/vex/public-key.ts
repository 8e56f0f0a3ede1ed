import { createPublicKey, type KeyObject } from 'node:crypto';
import { type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { sha256Hex } from '@landfall/kernel/crypto/digest';

const CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);
const MIN_RSA_BITS = 2_048;

const refused = (message: string, code: FieldFault['code'] = 'VAL_INVALID_VALUE') =>
  invalid([{ field: 'publicKey', message, code }]);

/** Whether signatures of a kind of key are verified. */
const isVerifiable = ({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): boolean => {
  const { namedCurve = '', modulusLength = 0 } = asymmetricKeyDetails;
  if (asymmetricKeyType === 'ec') return CURVES.has(namedCurve);
  return asymmetricKeyType === 'ed25519' || (asymmetricKeyType === 'rsa' && modulusLength >= MIN_RSA_BITS);
};

const keyIn = (pem: string): KeyObject => {
  // A private key or a certificate would be read as the public key inside it, and was probably sent by mistake.
  if (!/^\s*-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----\s*$/.test(pem))
    throw refused('must be one public key in PEM, and nothing beside it', 'VAL_INVALID_FORMAT');
  try {
    return createPublicKey(pem.trim());
  } catch {
    throw refused('cannot be read as a public key', 'VAL_INVALID_FORMAT');
  }
};

/** Public key as a source has it: PEM of its SPKI, and the SHA-256 of the SPKI. Throws VAL_INVALID_FORMAT, VAL_INVALID_VALUE. */
export const readPublicKey = (pem: string): { readonly publicKey: string; readonly keyId: string } => {
  const key = keyIn(pem);
  if (!isVerifiable(key)) throw refused('must be Ed25519, ECDSA on P-256, P-384 or P-521, or RSA of 2048 bits');
  return {
    publicKey: key.export({ type: 'spki', format: 'pem' }).toString(),
    keyId: sha256Hex(key.export({ type: 'spki', format: 'der' })),
  };
};
