import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import type { LoggedEntry, LogIdentity } from '../log/transparency-log.ts';
import { ed25519KeyId, parseCheckpoint } from '../signature/signed-note.ts';

/** Media type of Sigstore bundle v0.3, which carries a bare key or certificate instead of a chain. */
export const BUNDLE_MEDIA_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';

interface BundleParts {
  /** Statement's bytes as signed. */
  readonly payload: Uint8Array;
  readonly payloadType: string;
  /** Signature over the DSSE pre-authentication encoding of type and payload; ECDSA in DER. */
  readonly signature: Uint8Array;
  /** SHA-256 of the signing key's SPKI in hex: the hint by which a verifier finds the key. */
  readonly keyId: string;
  readonly entry: LoggedEntry;
  readonly log: LogIdentity;
  /** RFC 3161 responses over the signature's bytes, DER; none if no authority is configured. */
  readonly timestamps?: readonly Uint8Array[];
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** Id of the key that signed a checkpoint; after a rotation it differs from the current key. */
const signedUnder = (checkpoint: string, { origin, keys }: LogIdentity): Buffer => {
  const lines = parseCheckpoint(checkpoint)?.signatures.filter(({ name }) => name === origin) ?? [];
  for (const { spki } of keys) {
    const keyId = ed25519KeyId(origin, spki);
    if (lines.some(({ keyHash }) => keyHash.equals(keyId.subarray(0, 4)))) return keyId;
  }
  throw new Error(`No key of the log ${origin} signed this checkpoint.`);
};

const logEntry = ({ entry, log }: BundleParts) => ({
  canonicalizedBody: base64(entry.body),
  inclusionProof: {
    checkpoint: { envelope: entry.checkpoint },
    hashes: entry.hashes.map(base64),
    logIndex: String(entry.index),
    rootHash: base64(entry.rootHash),
    treeSize: String(entry.treeSize),
  },
  kindVersion: { kind: 'hashedrekord', version: '0.0.2' },
  logId: { keyId: base64(signedUnder(entry.checkpoint, log)) },
  logIndex: String(entry.index),
});

/** Creates a Sigstore bundle as canonical JSON. Throws an Error if none of the log's keys signed the checkpoint. */
export const createBundle = (parts: BundleParts): string => {
  const { payload, payloadType, signature, keyId, timestamps = [] } = parts;
  return canonicalJson({
    mediaType: BUNDLE_MEDIA_TYPE,
    verificationMaterial: {
      publicKey: { hint: keyId },
      tlogEntries: [logEntry(parts)],
      timestampVerificationData:
        timestamps.length === 0
          ? undefined
          : { rfc3161Timestamps: timestamps.map((token) => ({ signedTimestamp: base64(token) })) },
    },
    dsseEnvelope: {
      payload: base64(payload),
      payloadType,
      signatures: [{ keyid: keyId, sig: base64(signature) }],
    },
  });
};
