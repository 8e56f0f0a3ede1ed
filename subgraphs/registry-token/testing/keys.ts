import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { Clock } from '@landfall/kernel/core/clock';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import { createKeys } from '@landfall/kernel/identity/keys';

type Claims = Readonly<Record<string, unknown>>;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs a compact JWS by ES256. */
export const jwt = (key: KeyObject, header: Claims, claims: Claims): string => {
  const signed = `${encode({ alg: 'ES256', ...header })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
};

const newPair = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return { privateKey, jwk: { kty: 'EC', crv: 'P-256', x, y } };
};

/** Test authority of registry tokens: signs tokens and publishes its public keys. */
export const testAuthority = (clock: Clock, issuer: string) => {
  const { privateKey, jwk } = newPair();
  return {
    keys: createKeys(async () => [{ ...jwk, kid: 'k1', use: 'sig', alg: 'ES256' }], { clock }),
    privateKey,
    /** An access token (RFC 9068) with these claims beside or instead of the usual ones; undefined leaves one out. */
    accessToken: (claims: Claims = {}, header: Claims = {}): string => {
      const iat = Math.floor(clock.now().getTime() / 1000);
      const usual = {
        iss: issuer,
        sub: '00000000-0000-7000-8000-000000000001',
        aud: 'landfall',
        client_id: '00000000-0000-7000-8000-000000000001',
        scope: 'registry.token.issue',
        iat,
        exp: iat + 900,
        jti: randomUUID(),
        'svc:tenant': 'acme',
        'svc:plan': 'pro',
      };
      return jwt(privateKey, { typ: 'at+jwt', kid: 'k1', ...header }, { ...usual, ...claims });
    },
  };
};

interface ProofOptions {
  readonly method?: string;
  readonly url: string;
  readonly accessToken: string;
  readonly claims?: Claims;
}

/** DPoP key of a client (RFC 9449). */
export const testHolder = (clock: Clock) => {
  const { privateKey, jwk } = newPair();
  const { x, y } = jwk;
  return {
    jkt: sha256Bytes(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y })).toString('base64url'),
    proof: ({ method = 'GET', url, accessToken, claims = {} }: ProofOptions): string =>
      jwt(
        privateKey,
        { typ: 'dpop+jwt', jwk },
        {
          jti: randomUUID(),
          htm: method,
          htu: url,
          iat: Math.floor(clock.now().getTime() / 1000),
          ath: sha256Bytes(accessToken).toString('base64url'),
          ...claims,
        },
      ),
  };
};
