import { createPublicKey, type KeyObject } from 'node:crypto';
import { type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { type TrustMaterial, toTrustMaterial } from '@sigstore/verify';
import { MalformedJson, parseStrictJson } from '../signature/strict-json.ts';

/** Size limit of a trusted root in bytes; Sigstore's own has some 30 KiB. */
export const MAX_ROOT_BYTES = 262_144;
const MIN_RSA_BITS = 2048;
const CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1']);

const refused = (field: string, message: string, code: FieldFault['code'] = 'VAL_INVALID_VALUE') =>
  invalid([{ field, message, code }]);

/** Returns the reason why a key of this kind is refused; undefined if it is accepted. */
const keyRefusal = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | undefined => {
  const { namedCurve = '', modulusLength = 0 } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === 'ed25519') return undefined;
  if (asymmetricKeyType === 'ec')
    return CURVES.has(namedCurve) ? undefined : `is on the curve ${namedCurve}; P-256 and P-384 are taken`;
  if (asymmetricKeyType === 'rsa')
    return modulusLength >= MIN_RSA_BITS ? undefined : `has ${modulusLength} bits; RSA takes ${MIN_RSA_BITS} at least`;
  return `is of the kind ${asymmetricKeyType ?? 'unknown'}; ECDSA P-256 and P-384, Ed25519 and RSA are taken`;
};

/** Reads a signer's public key in PEM (SPKI, RFC 7468 13). Throws VAL_INVALID_FORMAT or VAL_INVALID_VALUE. */
export const readPublicKey = (pem: string): KeyObject => {
  const text = pem.trim();
  // A private key or a certificate would be read as the public key inside it, and was probably sent by mistake.
  if (!/^-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----$/.test(text))
    throw refused('publicKey', 'must be one public key in PEM, and nothing beside it', 'VAL_INVALID_FORMAT');
  let key: KeyObject;
  try {
    key = createPublicKey(text);
  } catch {
    throw refused('publicKey', 'cannot be read as a public key', 'VAL_INVALID_FORMAT');
  }
  const refusal = keyRefusal(key);
  if (refusal) throw refused('publicKey', refusal);
  return key;
};

const noKey = (): never => {
  throw new TypeError('a trusted root names no keys of signers');
};

/** Returns the problem of a root that cannot verify a signer; undefined if there is none. */
const rootProblem = (root: TrustedRoot, isIdentity: boolean): string | undefined => {
  if (!root.mediaType.startsWith('application/vnd.dev.sigstore.trustedroot')) return 'is no Sigstore trusted root';
  if (isIdentity && !root.certificateAuthorities.some(({ certChain }) => certChain?.certificates.length))
    return 'names no certificate authority';
  if (root.tlogs.length + root.timestampAuthorities.length === 0)
    return 'names neither a log nor a timestamp authority, so that nothing could say when something was signed';
  // The library takes a log without a start as valid since ever.
  if (![...root.tlogs, ...root.ctlogs].every(({ publicKey, logId }) => publicKey?.validFor?.start && logId))
    return 'names a log without its id or without the time from which it is valid';
  return undefined;
};

/** Reads a Sigstore trusted root (protobuf-specs, trustroot.proto, version 0.1), or the problem with it. */
export const parseTrustedRoot = (text: string, isIdentity: boolean): TrustMaterial | string => {
  try {
    const root = TrustedRoot.fromJSON(parseStrictJson(text, MAX_ROOT_BYTES));
    return rootProblem(root, isIdentity) ?? toTrustMaterial(root, noKey);
  } catch (error) {
    return error instanceof MalformedJson ? error.message : 'cannot be read as a Sigstore trusted root';
  }
};

/** Checks that a trusted root can be used. Throws Fault VAL_INVALID_VALUE. */
export const expectTrustedRoot = (text: string, isIdentity: boolean): void => {
  const found = parseTrustedRoot(text, isIdentity);
  if (typeof found === 'string') throw refused('trustedRoot', found);
};
