import { isValidAt, type Trust } from '@landfall/attestation/bundle/trust';
import { checkTimestamp } from '@landfall/attestation/timestamps/timestamp';
import { type Envelope, envelopeBytes, pae, parseEnvelope } from '@landfall/kernel/crypto/dsse';
import { verifySignature } from '@landfall/kernel/crypto/signing/signature';
import { MANIFEST_PAYLOAD_TYPE, MAX_MANIFEST_BYTES } from './manifest.ts';
import { parseTrustRoot } from './trust-root.ts';

/** Signature of an export, by a key that was valid at the time of its timestamp. */
export interface ExportSignature {
  readonly keyId: string;
  readonly signedAt: Date;
  /** Whether the platform itself attests the time, and no other party. */
  readonly isOwnTime: boolean;
}

/** Signed manifest with the timestamp over the bytes of its envelope. */
interface SignedManifest {
  readonly manifest: Uint8Array;
  readonly signature: Envelope['signatures'][number];
  readonly envelope: Buffer;
  readonly token: Buffer;
}

/**
 * Checks the signature of a manifest, its timestamp, and that the key was valid at that time. Returns the signature, or the
 * reason why there is none.
 */
export const checkSignature = (
  { manifest, signature, envelope, token }: SignedManifest,
  trust: Pick<Trust, 'keys' | 'authorities'>,
): ExportSignature | string => {
  const key = trust.keys.get(signature.keyid);
  if (!key) return `the key ${signature.keyid} is not in the trust document`;
  if (!verifySignature(key.publicKey, pae(MANIFEST_PAYLOAD_TYPE, manifest), signature.sig))
    return 'the signature is not of this key over manifest.json';
  const time = checkTimestamp(token, envelope, trust.authorities);
  if ('reason' in time) return `the timestamp does not count: ${time.reason}`;
  if (!isValidAt(key, time.at)) return `the key was not valid at ${time.at.toISOString()}`;
  return { keyId: signature.keyid, signedAt: time.at, isOwnTime: time.authority.isOwn };
};

/**
 * Checks the envelope of a manifest and its signature. Returns the signature, or the reason why there is none. Throws
 * MalformedTrust for a malformed trust document.
 */
export const checkSeal = (files: ReadonlyMap<string, Buffer>, trustText: string): ExportSignature | string => {
  const trust = parseTrustRoot(trustText);
  const [manifest, signed] = [files.get('manifest.json'), files.get('manifest.dsse.json')];
  const token = files.get('manifest.tsr');
  if (!manifest || !signed || !token) return 'its signature is missing';
  const envelope = parseEnvelope(JSON.parse(String(signed)), { maxPayloadBytes: MAX_MANIFEST_BYTES });
  if (!envelopeBytes(envelope).equals(signed)) return 'manifest.dsse.json is not canonical JSON';
  const [signature, ...others] = envelope.signatures;
  if (!signature || others.length > 0) return 'manifest.dsse.json does not have exactly one signature';
  if (envelope.payloadType !== MANIFEST_PAYLOAD_TYPE)
    return `manifest.dsse.json is of the type ${envelope.payloadType}`;
  if (!envelope.payload.equals(manifest)) return 'manifest.dsse.json is of another manifest';
  return checkSignature({ manifest, signature, envelope: signed, token }, trust);
};
