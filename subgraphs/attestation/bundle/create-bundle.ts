import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import type { LoggedEntry, LogIdentity } from '../log/transparency-log.ts';
import { ed25519KeyId, parseCheckpoint } from '../signature/signed-note.ts';

/** Sigstore bundle v0.3: the form that carries a bare key or certificate instead of a chain. */
export const BUNDLE_MEDIA_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';

interface BundleParts {
  /** The statement's bytes, as they were signed. */
  readonly payload: Uint8Array;
  readonly payloadType: string;
  /** Over the DSSE pre-authentication encoding of the two above; ECDSA in DER. */
  readonly signature: Uint8Array;
  /** Hex SHA-256 of the signing key's SPKI: the hint by which a verifier finds the key. */
  readonly keyId: string;
  readonly entry: LoggedEntry;
  readonly log: LogIdentity;
  /** RFC 3161 responses over the signature's bytes, DER; none where no authority is configured. */
  readonly timestamps?: readonly Uint8Array[];
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** The full id of the key that signed a checkpoint: after a rotation, no longer the one that signs next. */
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

/**
 * A Sigstore bundle of a statement, its signature and its log entry: JSON text in canonical form, so that the same parts
 * are the same bytes.
 * @throws Error when none of the log's keys signed the entry's checkpoint
 */
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
