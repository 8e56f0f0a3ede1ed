import { sha256Bytes } from '@landfall/kernel/crypto/digest';

/** Signature line of a note (C2SP signed-note). */
export interface NoteSignature {
  readonly name: string;
  /** First four bytes of the key id. */
  readonly keyHash: Buffer;
  readonly bytes: Buffer;
}

/** Strictly parsed checkpoint (C2SP tlog-checkpoint). */
export interface CheckpointNote {
  readonly origin: string;
  readonly size: number;
  readonly rootHash: Buffer;
  /** Signed text: the note's lines, each with its newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

// Room for the log's own signature and many witnesses', and a bound on what is looked through.
const MAX_NOTE = 16_384;
const MAX_SIGNATURES = 32;
const SIGNATURE_LINE = /^\u2014 (\S+) ([A-Za-z0-9+/]+={0,2})$/;

/** Decodes base64; undefined unless the text is the canonical encoding (RFC 4648 3.5). */
export const exactBase64 = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
};

/** Parses a size or index in its canonical decimal form, if a double represents it exactly. */
export const exactDecimal = (text: string): number | undefined => {
  const value = /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : undefined;
};

/** C2SP key id of an Ed25519 key under a name: SHA-256 of name, newline, 0x01 and the 32 bytes of the key. */
export const ed25519KeyId = (name: string, spki: Uint8Array): Buffer =>
  sha256Bytes(`${name}\n`, Uint8Array.of(1), spki.subarray(-32));

const signatureOf = (line: string): NoteSignature | undefined => {
  const [, name, encoded = ''] = SIGNATURE_LINE.exec(line) ?? [];
  const bytes = exactBase64(encoded);
  return name !== undefined && bytes !== undefined && bytes.length > 4
    ? { name, keyHash: bytes.subarray(0, 4), bytes: bytes.subarray(4) }
    : undefined;
};

const isSignature = (signature: NoteSignature | undefined): signature is NoteSignature => signature !== undefined;

/** Parses a checkpoint in its canonical form, without extension lines. Any other text gives undefined. */
export const parseCheckpoint = (envelope: string): CheckpointNote | undefined => {
  if (envelope.length > MAX_NOTE || !envelope.endsWith('\n')) return undefined;
  const [origin = '', sizeText = '', rootText = '', empty, ...lines] = envelope.slice(0, -1).split('\n');
  const size = exactDecimal(sizeText);
  const rootHash = exactBase64(rootText);
  const signatures = lines.map(signatureOf);
  if (origin === '' || size === undefined || rootHash?.length !== 32 || empty !== '') return undefined;
  if (signatures.length === 0 || signatures.length > MAX_SIGNATURES || !signatures.every(isSignature)) return undefined;
  return { origin, size, rootHash, text: `${origin}\n${sizeText}\n${rootText}\n`, signatures };
};
