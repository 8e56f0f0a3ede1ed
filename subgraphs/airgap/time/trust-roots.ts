import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseTimestampAnchors } from '@landfall/attestation/timestamps/timestamp';
import { sha256 } from '@landfall/kernel/crypto/digest';

/** Chain of a timestamp authority, its signing certificate first and its root last; or a root alone. */
interface TrustedAuthority {
  readonly certificates: readonly Buffer[];
  /** Digest of the root. */
  readonly digest: string;
}

/** Key of an operator who states times. */
interface TrustedKey {
  readonly publicKey: KeyObject;
  readonly digest: string;
}

export interface TrustRoots {
  readonly authorities: readonly TrustedAuthority[];
  readonly keys: readonly TrustedKey[];
}

export const NO_TRUST_ROOTS: TrustRoots = { authorities: [], keys: [] };

const PUBLIC_KEY = /-----BEGIN PUBLIC KEY-----[^-]*-----END PUBLIC KEY-----/g;

/**
 * Reads trust roots in PEM: roots or whole chains of timestamp authorities, and public keys of operators.
 * @param name of the text, for the error
 * @throws Error that names the text when a certificate or key cannot be read
 */
export const parseTrustRoots = (text: string, name: string): TrustRoots => ({
  authorities: parseTimestampAnchors(text, name).map((certificates) => ({
    certificates,
    digest: sha256(certificates.at(-1) ?? ''),
  })),
  keys: (text.match(PUBLIC_KEY) ?? []).map((pem) => {
    const publicKey = createPublicKey(pem);
    return { publicKey, digest: sha256(publicKey.export({ format: 'der', type: 'spki' })) };
  }),
});

/** Reads a trust root file. @throws Error that names the file when it cannot be read or has no root */
export const readTrustRoots = (path: string): TrustRoots => {
  const roots = parseTrustRoots(readFileSync(path, 'utf8'), path);
  if (roots.authorities.length + roots.keys.length === 0)
    throw new Error(`${path} has neither a certificate nor a public key in PEM.`);
  return roots;
};
