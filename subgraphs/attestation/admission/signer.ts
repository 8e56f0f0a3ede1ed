import { createPublicKey, type KeyObject } from 'node:crypto';
import type { TrustMaterial } from '@sigstore/verify';
import { parseTrustedRoot } from './trusted-material.ts';
import type { SignerRow } from './trusted-signers.store.ts';

export const signerPurposes = ['image', 'source', 'build'] as const;
export type SignerPurpose = (typeof signerPurposes)[number];

export const signerKinds = ['key', 'identity'] as const;

interface Trusted {
  readonly id: string;
  readonly name: string;
  readonly purposes: ReadonlySet<string>;
  /** Builder that provenance must name; null for any. */
  readonly builderId: string | null;
}

export type Signer =
  | (Trusted & {
      readonly kind: 'key';
      /** SHA-256 of the SPKI, in hex. */
      readonly keyId: string;
      readonly key: KeyObject;
      /** Logs whose proofs count; undefined if none does. */
      readonly trust: TrustMaterial | undefined;
    })
  | (Trusted & {
      readonly kind: 'identity';
      readonly issuer: string;
      readonly identity: string;
      readonly trust: TrustMaterial;
    });

const rootOf = ({ id, trustedRoot, kind }: SignerRow): TrustMaterial | undefined => {
  if (trustedRoot === null) return undefined;
  const material = parseTrustedRoot(trustedRoot, kind === 'identity');
  if (typeof material === 'string') throw new TypeError(`the trusted root of signer ${id} ${material}`);
  return material;
};

/** Builds a signer from its row, which was validated when it was written. */
export const signerOf = (row: SignerRow): Signer => {
  const { id, name, builderId, publicKey, keyId, issuer, identity } = row;
  const trusted = { id, name, builderId, purposes: new Set(row.purposes) };
  const trust = rootOf(row);
  if (publicKey !== null && keyId !== null)
    return { ...trusted, kind: 'key', keyId, key: createPublicKey(publicKey), trust };
  if (issuer !== null && identity !== null && trust) return { ...trusted, kind: 'identity', issuer, identity, trust };
  throw new TypeError(`signer ${id} is neither a key nor an identity`);
};
