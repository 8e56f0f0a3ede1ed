import { verify } from 'node:crypto';
import { type CheckpointNote, ed25519KeyId, parseCheckpoint } from './signed-note.ts';

interface LogCheckpoint {
  readonly size: number;
  readonly rootHash: Uint8Array;
}

/** Current or former Ed25519 key of a log. */
export interface CheckpointKey {
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Buffer;
}

/** Pattern of a note's key name: no space, no plus (C2SP signed-note). */
const NAME = /^[^\s+]+$/u;

/** Signed text of a checkpoint (C2SP tlog-checkpoint): three lines with their newlines. */
export const checkpointText = (origin: string, { size, rootHash }: LogCheckpoint): string => {
  if (!NAME.test(origin)) throw new RangeError(`${JSON.stringify(origin)} cannot be the origin of a log.`);
  return `${origin}\n${size}\n${Buffer.from(rootHash).toString('base64')}\n`;
};

/** Signature line of a note, with its newline. Of a full `keyId`, the first four bytes are written. */
export const signatureLine = (name: string, keyId: Uint8Array, signature: Uint8Array): string =>
  `\u2014 ${name} ${Buffer.concat([keyId.subarray(0, 4), signature]).toString('base64')}\n`;

interface CheckpointSigner extends CheckpointKey {
  sign(bytes: Uint8Array): Promise<Buffer>;
}

/** Signs the note of a tree with a log's key. */
export const signCheckpoint = async (
  origin: string,
  checkpoint: LogCheckpoint,
  signer: CheckpointSigner,
): Promise<string> => {
  const text = checkpointText(origin, checkpoint);
  const signature = await signer.sign(Buffer.from(text));
  return `${text}\n${signatureLine(origin, ed25519KeyId(origin, signer.spki), signature)}`;
};

/** DER prefix of an Ed25519 SPKI, before the 32 bytes of the key (RFC 8410 4). */
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** Converts a raw Ed25519 key to a KeyObject. */
export const ed25519Key = (raw: Uint8Array) =>
  ({ key: Buffer.concat([ED25519_SPKI, raw]), format: 'der', type: 'spki' }) as const;

const isSignedBy = ({ text, signatures }: CheckpointNote, origin: string, { spki }: CheckpointKey): boolean => {
  const keyHash = ed25519KeyId(origin, spki).subarray(0, 4);
  return signatures.some(
    ({ name, keyHash: input, bytes }) =>
      name === origin &&
      input.equals(keyHash) &&
      verify(null, Buffer.from(text), ed25519Key(spki.subarray(-32)), bytes),
  );
};

/** Checkpoint of the log `origin` with the key that signed it, or undefined for any other text. */
export const openCheckpoint = <K extends CheckpointKey>(
  note: string,
  { origin, keys }: { readonly origin: string; readonly keys: readonly K[] },
): (CheckpointNote & { readonly key: K }) | undefined => {
  const checkpoint = parseCheckpoint(note);
  if (checkpoint?.origin !== origin) return undefined;
  const key = keys.find((candidate) => isSignedBy(checkpoint, origin, candidate));
  return key && { ...checkpoint, key };
};
