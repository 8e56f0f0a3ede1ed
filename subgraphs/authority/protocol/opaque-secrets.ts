import { randomBytes } from 'node:crypto';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';

/** Random secret of which only the hash is stored: a code, refresh token, client secret or session cookie. */
interface OpaqueSecret {
  /** 32 random bytes, base64url. */
  readonly value: string;
  readonly hash: Buffer;
}

export const hashSecret = (value: string): Buffer => sha256Bytes(value);

export const newOpaqueSecret = (): OpaqueSecret => {
  const value = randomBytes(32).toString('base64url');
  return { value, hash: hashSecret(value) };
};
