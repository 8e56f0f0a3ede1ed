import { createHash, hash } from 'node:crypto';
import { Fault } from '../core/fault.ts';

/** SHA-256 content digest as APIs write it: `sha256:` and 64 lower-case hex digits (spec, preamble). */
export type Digest = `sha256:${string}`;

const pattern = /^sha256:[0-9a-f]{64}$/;

/** Whether the value is a digest in its one accepted spelling; upper-case hex is another string, hence no digest. */
export const isDigest = (value: unknown): value is Digest => typeof value === 'string' && pattern.test(value);

/** Parses a digest from an untrusted source. Throws Fault VAL_INVALID_DIGEST. */
export const parseDigest = (text: string): Digest => {
  if (isDigest(text)) return text;
  throw new Fault('VAL_INVALID_DIGEST', 'A digest is sha256: followed by 64 lower-case hex digits.', { value: text });
};

/** SHA-256 of the concatenated parts as 64 hex digits. Strings are encoded as UTF-8. */
export const sha256Hex = (...parts: readonly (string | Uint8Array)[]): string => {
  const [only] = parts;
  // The one-shot form is about twice as fast for short input, and almost every call has one part.
  if (parts.length === 1 && only !== undefined) return hash('sha256', only);
  const hasher = createHash('sha256');
  for (const part of parts) hasher.update(part);
  return hasher.digest('hex');
};

/** SHA-256 of the parts as a digest. */
export const sha256 = (...parts: readonly (string | Uint8Array)[]): Digest => `sha256:${sha256Hex(...parts)}`;

/** Creates an incremental digest of parts that arrive one after another and are not stored. */
export const createDigester = () => {
  const hasher = createHash('sha256');
  return {
    add: (part: Uint8Array): void => void hasher.update(part),
    digest: (): Digest => `sha256:${hasher.digest('hex')}`,
  };
};

/** SHA-256 of the parts as its 32 bytes. */
export const sha256Bytes = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const [only] = parts;
  return parts.length === 1 && only !== undefined
    ? hash('sha256', only, 'buffer')
    : Buffer.from(sha256Hex(...parts), 'hex');
};

/** The 64 hex digits of a digest, for file names and columns that hold no algorithm. */
export const digestHex = (digest: Digest): string => digest.slice('sha256:'.length);
