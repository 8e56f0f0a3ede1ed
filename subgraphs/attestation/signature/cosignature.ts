import { verify } from 'node:crypto';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import { ed25519Key, signatureLine } from './checkpoint.ts';
import { exactBase64, type NoteSignature } from './signed-note.ts';

/** Witness of a log: a name and an Ed25519 key for cosignatures (C2SP tlog-cosignature). */
export interface Cosigner {
  readonly name: string;
  /** Public key, 32 bytes. */
  readonly publicKey: Buffer;
  /** First four bytes of the key id. */
  readonly keyHash: Buffer;
}

export interface Cosignature {
  /** Signature line of the note, with the newline. */
  readonly line: string;
  readonly cosignedAt: Date;
}

const COSIGNATURE = 0x04;
const TIMESTAMP_BYTES = 8;
const SIGNATURE_BYTES = 64;
const VERIFIER_KEY = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/u;

/** First four bytes of a cosigner's key id: SHA-256 of name, newline, 0x04 and the key. */
export const cosignerKeyHash = (name: string, publicKey: Uint8Array): Buffer =>
  sha256Bytes(`${name}\n`, Uint8Array.of(COSIGNATURE), publicKey).subarray(0, 4);

/** Parses a verifier key, `name+hash+base64`, of type timestamped Ed25519 cosignature; undefined for any other. */
export const parseCosigner = (text: string): Cosigner | undefined => {
  const [, name, hash, encoded = ''] = VERIFIER_KEY.exec(text) ?? [];
  const bytes = exactBase64(encoded);
  if (name === undefined || bytes?.length !== 33 || bytes[0] !== COSIGNATURE) return undefined;
  const publicKey = bytes.subarray(1);
  const keyHash = cosignerKeyHash(name, publicKey);
  return keyHash.toString('hex') === hash ? { name, publicKey, keyHash } : undefined;
};

/** Message of a cosignature: a checkpoint's text and a time in seconds since the epoch. */
export const cosignedMessage = (text: string, seconds: number | bigint): Buffer =>
  Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);

/** Finds the valid cosignature of a cosigner among a note's signatures; undefined if there is none. */
export const findCosignature = (
  signatures: readonly NoteSignature[],
  text: string,
  { name, publicKey, keyHash }: Cosigner,
): Cosignature | undefined => {
  for (const { name: signedAs, keyHash: signedBy, bytes } of signatures) {
    if (signedAs !== name || !signedBy.equals(keyHash) || bytes.length !== TIMESTAMP_BYTES + SIGNATURE_BYTES) continue;
    const seconds = bytes.readBigUInt64BE();
    const cosignedAt = new Date(Number(seconds) * 1_000);
    const signature = bytes.subarray(TIMESTAMP_BYTES);
    if (Number.isNaN(cosignedAt.getTime())) continue;
    if (verify(null, cosignedMessage(text, seconds), ed25519Key(publicKey), signature))
      return { line: signatureLine(name, keyHash, bytes), cosignedAt };
  }
  return undefined;
};
