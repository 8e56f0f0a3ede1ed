// Keys of signers, and rows of trusted ones.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import { type Signer, signerOf } from './signer.ts';
import type { SignerRow } from './trusted-signers.store.ts';

export const ISSUER = 'https://token.actions.example';

export const IDENTITY = 'https://git.example/shop/web/.github/workflows/build.yml@refs/heads/main';

/** Time of every signature in the tests, in seconds. */
export const SIGNED_AT = Date.parse('2026-01-01T00:05:00Z') / 1000;

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

export const spkiOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });

export interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export type KeyKind = 'p256' | 'p384' | 'ed25519' | 'rsa';

const curves = { p256: 'P-256', p384: 'P-384' } as const;

export const createKeys = (kind: KeyKind = 'p256', modulusLength = 2048): Keys => {
  if (kind === 'ed25519') return generateKeyPairSync('ed25519');
  if (kind === 'rsa') return generateKeyPairSync('rsa', { modulusLength });
  return generateKeyPairSync('ec', { namedCurve: curves[kind] });
};

export const pemOf = ({ publicKey }: Keys): string => publicKey.export({ type: 'spki', format: 'pem' }).toString();

export const signatureOf = ({ privateKey }: Keys, bytes: Uint8Array): Buffer =>
  sign(privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256', bytes, privateKey);

/** Row of a trusted signer, as the store returns it. */
const rowOf = (overrides: Partial<SignerRow> & { readonly keys?: Keys }): SignerRow => {
  const { keys, ...own } = overrides;
  return JSON.parse(
    JSON.stringify({
      id: '01900000-0000-7000-8000-000000000001',
      name: 'builder',
      kind: keys ? 'key' : 'identity',
      purposes: ['image', 'source', 'build'],
      publicKey: keys ? pemOf(keys) : null,
      keyId: keys ? sha256Hex(spkiOf(keys.publicKey)) : null,
      issuer: keys ? null : ISSUER,
      identity: keys ? null : IDENTITY,
      trustedRoot: null,
      builderId: null,
      version: 1,
      ...own,
    }),
  );
};

export const trusted = (parameters: Parameters<typeof rowOf>[0]): Signer => signerOf(rowOf(parameters));
