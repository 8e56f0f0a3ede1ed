import { verify } from 'node:crypto';
import { type CheckpointNote, ed25519KeyId, parseCheckpoint } from './signed-note.ts';

interface TreeHead {
  readonly size: number;
  readonly rootHash: Uint8Array;
}

/** An Ed25519 key that signs, or signed, for a log. */
export interface CheckpointKey {
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Buffer;
}

/** A note's key name: no space, no plus (C2SP signed-note). */
const NAME = /^[^\s+]+$/u;

/** The text that a checkpoint's signatures are over (C2SP tlog-checkpoint): three lines with their newlines. */
export const checkpointText = (origin: string, { size, rootHash }: TreeHead): string => {
  if (!NAME.test(origin)) throw new RangeError(`${JSON.stringify(origin)} cannot be the origin of a log.`);
  return `${origin}\n${size}\n${Buffer.from(rootHash).toString('base64')}\n`;
};

/** A note's signature line, with its newline. `keyId` may be the full id: its first four bytes are written. */
export const signatureLine = (name: string, keyId: Uint8Array, signature: Uint8Array): string =>
  `\u2014 ${name} ${Buffer.concat([keyId.subarray(0, 4), signature]).toString('base64')}\n`;

interface CheckpointSigner extends CheckpointKey {
  sign(bytes: Uint8Array): Promise<Buffer>;
}

/** The signed note of a tree under a log's key. */
export const signCheckpoint = async (origin: string, head: TreeHead, signer: CheckpointSigner): Promise<string> => {
  const text = checkpointText(origin, head);
  const signature = await signer.sign(Buffer.from(text));
  return `${text}\n${signatureLine(origin, ed25519KeyId(origin, signer.spki), signature)}`;
};

/** The DER of an Ed25519 SPKI up to the 32 bytes of the key (RFC 8410 4). */
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** A raw Ed25519 key as `crypto` takes it. */
export const ed25519Key = (raw: Uint8Array) =>
  ({ key: Buffer.concat([ED25519_SPKI, raw]), format: 'der', type: 'spki' }) as const;

const isSignedBy = ({ text, signatures }: CheckpointNote, origin: string, { spki }: CheckpointKey): boolean => {
  const keyHash = ed25519KeyId(origin, spki).subarray(0, 4);
  return signatures.some(
    ({ name, keyHash: given, bytes }) =>
      name === origin &&
      given.equals(keyHash) &&
      verify(null, Buffer.from(text), ed25519Key(spki.subarray(-32)), bytes),
  );
};

/**
 * Reads a checkpoint of the log `origin` that one of its keys signed; cosignatures count for nothing here.
 * @returns the checkpoint and the key that signed it, or undefined for any other text
 */
export const openCheckpoint = <K extends CheckpointKey>(
  note: string,
  { origin, keys }: { readonly origin: string; readonly keys: readonly K[] },
): (CheckpointNote & { readonly key: K }) | undefined => {
  const checkpoint = parseCheckpoint(note);
  if (checkpoint?.origin !== origin) return undefined;
  const key = keys.find((candidate) => isSignedBy(checkpoint, origin, candidate));
  return key && { ...checkpoint, key };
};
