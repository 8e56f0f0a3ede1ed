import { createPublicKey } from 'node:crypto';
import { invalid } from '@landfall/kernel/core/fault';
import { verifyEnvelope } from '@landfall/kernel/crypto/dsse';
import { verifySignature } from '@landfall/kernel/crypto/signing/signature';
import type { ReadDocument } from './document-reading.ts';
import type { VexSource } from './vex-sources.store.ts';

/** Results of looking for a signature; `unchecked` where the source has no key. */
export const SIGNATURES = ['none', 'unchecked', 'invalid', 'verified'] as const;

type Signature = (typeof SIGNATURES)[number];

/** @throws Fault VAL_INVALID_FORMAT for a text that is not base64 */
const signatureBytes = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'base64');
  const [expected, sent] = [bytes.toString('base64url'), text.trim().replace(/=+$/, '')];
  if (bytes.length > 0 && sent.replaceAll('+', '-').replaceAll('/', '_') === expected) return bytes;
  throw invalid([{ field: 'signature', message: 'must be a signature in base64', code: 'VAL_INVALID_FORMAT' }]);
};

/**
 * Checks the signature of a document, in its DSSE envelope or detached, by the public key of its source.
 * @param detached base64 of a signature over the bytes of the document
 */
export const checkSignature = (
  { bytes, envelope }: ReadDocument,
  { publicKey, keyId }: Pick<VexSource, 'publicKey' | 'keyId'>,
  detached: string | undefined,
): { readonly signature: Signature; readonly signerKeyId: string | null } => {
  const signed = detached === undefined ? undefined : signatureBytes(detached);
  if (!envelope && !signed) return { signature: 'none', signerKeyId: null };
  if (publicKey === null) return { signature: 'unchecked', signerKeyId: null };
  const key = createPublicKey(publicKey);
  const isVerified =
    (envelope !== undefined && verifyEnvelope(envelope, [{ publicKey: key }]).length > 0) ||
    (signed !== undefined && verifySignature(key, bytes, signed));
  return isVerified ? { signature: 'verified', signerKeyId: keyId } : { signature: 'invalid', signerKeyId: null };
};
