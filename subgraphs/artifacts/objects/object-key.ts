import { toId } from '@landfall/kernel/core/ids';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import type { ArtifactId } from '../shared/identity.ts';

/** Replacements of characters in a part of a key (spec 2.6, proofs 7). */
const REPLACEMENTS: Readonly<Record<string, string>> = { '@': '_at_', '?': '_q_', '#': '_h_', '%': '_p_' };

/** Longest part of a key in bytes: file systems take 255. */
const MAX_PART_BYTES = 200;
const SUFFIX_DIGITS = 16;

/** Text of at most so many bytes, cut between two characters. */
const cut = (text: string, bytes: number): string => {
  const encoded = Buffer.from(text);
  let end = bytes;
  // A byte of the form 10xxxxxx continues a character.
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return encoded.subarray(0, end).toString();
};

/** Encodes a bom-ref or a serial number as one part of a key that every file system takes. */
export const encodeKeyPart = (original: string): string => {
  const replaced = original
    .toWellFormed()
    .replaceAll(/[/:\\@?#%\p{Cc}]/gu, (character) => REPLACEMENTS[character] ?? '_');
  const safe = /^\.*$/.test(replaced) ? `_${replaced}` : replaced;
  if (Buffer.byteLength(safe) <= MAX_PART_BYTES) return safe;
  return `${cut(safe, MAX_PART_BYTES - SUFFIX_DIGITS - 1)}_${sha256Hex(original).slice(0, SUFFIX_DIGITS)}`;
};

/** Folder of every object of a prefix. */
export const objectFolder = (prefix: string): string => (prefix === '' ? 'artifacts' : `${prefix}/artifacts`);

/** Id of the artifact whose object a key of a folder names; undefined for a key that is no object's. */
export const artifactIdOfKey = (folder: string, key: string): ArtifactId | undefined => {
  const [, id] = key.startsWith(`${folder}/`)
    ? (/^[^/]+\/[^/]+\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.json$/.exec(key.slice(folder.length + 1)) ?? [])
    : [];
  return id === undefined ? undefined : toId(id, 'Artifact');
};

interface KeyParts {
  /** Setting `Artifacts:Prefix`, which may be empty. */
  readonly prefix: string;
  readonly bomRef: string;
  readonly serialNumber: string;
  readonly artifactId: string;
}

/** Full key of an object, without a leading slash. */
export const objectKey = ({ prefix, bomRef, serialNumber, artifactId }: KeyParts): string =>
  [objectFolder(prefix), encodeKeyPart(bomRef), encodeKeyPart(serialNumber), `${artifactId}.json`].join('/');
