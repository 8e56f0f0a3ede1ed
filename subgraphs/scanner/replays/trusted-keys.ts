import { createPublicKey } from 'node:crypto';
import type { SigningKeys } from '@landfall/kernel/crypto/signing/signer';
import type { TrustedKey } from '../score/verify-bundle.ts';

/** Keys under which manifests of this platform are trusted: the one that signs, and all that did. */
export const trustedKeys = async (keys: SigningKeys): Promise<TrustedKey[]> =>
  (await keys.list('manifest')).map(({ keyId, spki }) => ({
    keyId,
    publicKey: createPublicKey({ key: spki, format: 'der', type: 'spki' }),
  }));
