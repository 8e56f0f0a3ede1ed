import { constants, createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';

/** A client's key of a kind, with how it signs. */
export const proofKey = (alg: 'ES256' | 'ES384' | 'EdDSA' | 'Ed25519' | 'PS256' | 'RS256' = 'ES256') => {
  const pair = {
    ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    EdDSA: () => generateKeyPairSync('ed25519'),
    Ed25519: () => generateKeyPairSync('ed25519'),
    PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
    RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  }[alg]();
  return { alg, ...pair, jwk: pair.publicKey.export({ format: 'jwk' }) };
};

export type ProofKeyPair = ReturnType<typeof proofKey>;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const signatureOf = (alg: string, key: KeyObject, input: Buffer): Buffer => {
  if (alg.startsWith('Ed')) return sign(null, input, key);
  if (alg.startsWith('ES'))
    return sign(alg === 'ES384' ? 'sha384' : 'sha256', input, { key, dsaEncoding: 'ieee-p1363' });
  return sign(
    'sha256',
    input,
    alg === 'PS256' ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } : { key },
  );
};

export interface ProofParts {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** Creates a DPoP proof (RFC 9449 4.2), with the changes in `parts`; `undefined` leaves a part out. */
export const proofBy = (pair: ProofKeyPair, { header, claims }: ProofParts = {}): string => {
  const { alg, jwk, privateKey } = pair;
  const head = encode({ typ: 'dpop+jwt', alg, jwk, ...header });
  const input = `${head}.${encode({ jti: randomUUID(), ...claims })}`;
  return `${input}.${signatureOf(alg, privateKey, Buffer.from(input)).toString('base64url')}`;
};

/** Claim `ath` for a token (RFC 9449 4.2). */
export const athOf = (token: string): string => createHash('sha256').update(token).digest('base64url');
