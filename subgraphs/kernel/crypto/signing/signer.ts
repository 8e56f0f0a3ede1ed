import type { KeyObject } from 'node:crypto';

/** Purpose of a key; a key of one purpose never signs for another. */
export type SigningPurpose = 'attestation' | 'log' | 'manifest' | 'timestamp';

/** A key that signs: in memory, in a file, or in a PKCS #11 device. */
export interface Signer {
  /** Hex SHA-256 of the SPKI: the hint in a Sigstore bundle and the `keyid` of a DSSE signature. */
  readonly keyId: string;
  readonly publicKey: KeyObject;
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Buffer;
  readonly algorithm: 'ecdsa-p256-sha256' | 'ed25519';
  /** Signs bytes: ECDSA over SHA-256 in DER, or Ed25519. Must not run in a transaction, since a device may be slow. */
  sign(bytes: Uint8Array): Promise<Buffer>;
}

/** Public key with the period in which it signed, for verifiers. */
export interface VerificationKey {
  readonly keyId: string;
  readonly purpose: SigningPurpose;
  readonly algorithm: Signer['algorithm'];
  readonly spki: Buffer;
  readonly validFrom: Date;
  /** Null while it signs. */
  readonly validUntil: Date | null;
}

/** Signing keys of the platform. */
export interface SigningKeys {
  /** Current signing key of a purpose; generated on first use when none is configured. */
  signer(purpose: SigningPurpose): Promise<Signer>;
  /** Every key that ever signed for a purpose, newest first. */
  list(purpose: SigningPurpose): Promise<readonly VerificationKey[]>;
  /** Ends the current key and begins with a new one; a key of a file or a device is rotated by configuring another. */
  rotate(purpose: SigningPurpose): Promise<VerificationKey>;
}
