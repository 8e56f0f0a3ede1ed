import { randomBytes } from 'node:crypto';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';

/** A secret that we hand out and keep only the hash of: a code, a refresh token, a client secret, a session cookie. */
export interface OpaqueSecret {
  /** 32 random bytes, base64url. */
  readonly value: string;
  readonly hash: Buffer;
}

export const hashSecret = (value: string): Buffer => sha256Bytes(value);

export const newOpaqueSecret = (): OpaqueSecret => {
  const value = randomBytes(32).toString('base64url');
  return { value, hash: hashSecret(value) };
};
