import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { sha256Bytes } from '../crypto/digest.ts';

/** Signature algorithms of proofs: asymmetric ones (RFC 9449 4.3, `Ed25519` by RFC 9864), for the metadata too. */
export const DPOP_ALGORITHMS = ['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256'] as const;

type Algorithm = (typeof DPOP_ALGORITHMS)[number];

/** Public key of a DPoP proof; only the token or code that is bound to it makes it trusted. */
export interface ProofKey {
  /** RFC 7638 thumbprint, SHA-256, base64url. */
  readonly jkt: string;
  /** Whether the key made this signature. */
  signed(input: string, signature: Buffer): boolean;
}

interface Kind {
  /** Members of the JWK thumbprint in order (RFC 7638 3.2), each with its value or the range of its length in bytes. */
  readonly members: Readonly<Record<string, string | readonly [least: number, most: number]>>;
  readonly hash: 'sha256' | 'sha384' | undefined;
  readonly how: object;
}

const ec = (crv: string, size: number, hash: Kind['hash']): Kind => ({
  members: { crv, kty: 'EC', x: [size, size], y: [size, size] },
  hash,
  how: { dsaEncoding: 'ieee-p1363' },
});

// A larger modulus or exponent could overload the server, and a smaller modulus is not secure.
const rsa = (how: object): Kind => ({ members: { e: 'AQAB', kty: 'RSA', n: [256, 512] }, hash: 'sha256', how });

const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };

const ED25519: Kind = { members: { crv: 'Ed25519', kty: 'OKP', x: [32, 32] }, hash: undefined, how: {} };

const KINDS: Readonly<Record<Algorithm, Kind>> = {
  ES256: ec('P-256', 32, 'sha256'),
  ES384: ec('P-384', 48, 'sha384'),
  EdDSA: ED25519,
  Ed25519: ED25519,
  PS256: rsa(PSS),
  RS256: rsa({}),
};

const isAlgorithm = (value: unknown): value is Algorithm => DPOP_ALGORITHMS.some((name) => name === value);

/** Members of private and of symmetric keys (RFC 7518 6). */
const SECRET = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const isFit = (value: unknown, requested: string | readonly [number, number]): value is string => {
  if (typeof value !== 'string') return false;
  if (typeof requested === 'string') return value === requested;
  const bytes = Buffer.from(value, 'base64url');
  return bytes.toString('base64url') === value && bytes.length >= requested[0] && bytes.length <= requested[1];
};

/** Thumbprint members of a key, in order. */
const readMembers = (jwk: object, { members }: Kind): Readonly<Record<string, string>> | undefined => {
  if (SECRET.some((name) => name in jwk)) return undefined;
  const read = Object.entries(members).map(([name, requested]) => {
    const value: unknown = Reflect.get(jwk, name);
    return isFit(value, requested) ? ([name, value] as const) : undefined;
  });
  return read.every((entry) => entry !== undefined) ? Object.fromEntries(read) : undefined;
};

const importKey = (jwk: Readonly<Record<string, string>>): KeyObject | undefined => {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    // The point is not on its curve.
    return undefined;
  }
};

/** Parses the public key of a proof's header; undefined unless it fits the header's algorithm. */
export const proofKeyOf = (header: Readonly<Record<string, unknown>>): ProofKey | undefined => {
  const { alg, jwk } = header;
  if (!isAlgorithm(alg) || typeof jwk !== 'object' || jwk === null) return undefined;
  const kind = KINDS[alg];
  const members = readMembers(jwk, kind);
  const key = members && importKey(members);
  if (!key) return undefined;
  return {
    jkt: sha256Bytes(JSON.stringify(members)).toString('base64url'),
    // Synchronously: the thread pool would cost more than the signature itself.
    signed: (input, signature) => verify(kind.hash, Buffer.from(input), { key, ...kind.how }, signature),
  };
};
