import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { fingerprint } from './bm25f.ts';
import type { Snapshot } from './messages.ts';
import { isRecord } from './records.ts';
import { documentsOf, openSegment } from './segment.ts';

/** Manifest of a snapshot: its own checksum, then those of segment files and deletion bits; a rename commits it. */
const MANIFEST = 'index.json';
const FORMAT = 1;
const SEGMENT_FILE = /^[0-9a-f]{32}\.segment$/;
const OURS = /\.(?:segment|json)(?:\.new)?$/;
/** Private: segments contain words of every tenant. */
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
/** Bytes a write. */
const STEP = 1 << 26;
/** Bytes per read: small enough to stay in the processor's cache until they are hashed. */
const READ_STEP = 1 << 19;

interface Entry {
  readonly file: string;
  readonly bytes: number;
  readonly sum: number;
}

const writeWhole = (file: string, bytes: Uint8Array): void => {
  const descriptor = openSync(`${file}.new`, 'w', FILE_MODE);
  try {
    for (let index = 0; index < bytes.length; )
      index += writeSync(descriptor, bytes, index, Math.min(STEP, bytes.length - index));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(`${file}.new`, file);
};

/** Reads a file and sums it up on the way, so that its bytes are fetched from memory once. */
const readWhole = (file: string, length: number): { readonly buffer: SharedArrayBuffer; readonly sum: number } => {
  const buffer = new SharedArrayBuffer(length);
  const bytes = new Uint8Array(buffer);
  const descriptor = openSync(file, 'r');
  let sum = 0;
  try {
    for (let index = 0; index < length; ) {
      const read = readSync(descriptor, bytes, index, Math.min(READ_STEP, length - index), index);
      if (read === 0) throw new Error(`${file} ends after ${index} bytes.`);
      sum = crc32(bytes.subarray(index, index + read), sum);
      index += read;
    }
  } finally {
    closeSync(descriptor);
  }
  return { buffer, sum };
};

/** Writes snapshots; remembers which segments it has written. */
export class SnapshotWriter {
  readonly #written = new Map<number, Entry>();

  write(
    directory: string,
    cursor: string,
    segments: readonly { readonly id: number; readonly buffer: SharedArrayBuffer; readonly removed: Uint8Array }[],
  ): void {
    mkdirSync(directory, { recursive: true, mode: DIRECTORY_MODE });
    const entries = segments.map(({ id, buffer, removed }) => ({
      ...this.#segment(directory, id, buffer),
      removed: Buffer.from(removed).toString('base64'),
    }));
    const text = JSON.stringify({ format: FORMAT, fingerprint: fingerprint(), cursor, segments: entries });
    const sum = crc32(text).toString(16).padStart(8, '0');
    writeWhole(join(directory, MANIFEST), Buffer.from(`${sum}\n${text}`));
    const files = new Set([MANIFEST, ...entries.map(({ file }) => file)]);
    for (const file of readdirSync(directory)) if (OURS.test(file) && !files.has(file)) rmSync(join(directory, file));
    const ids = new Set(segments.map(({ id }) => id));
    for (const id of this.#written.keys()) if (!ids.has(id)) this.#written.delete(id);
  }

  #segment(directory: string, id: number, buffer: SharedArrayBuffer): Entry {
    const known = this.#written.get(id);
    if (known && existsSync(join(directory, known.file))) return known;
    const bytes = new Uint8Array(buffer);
    const name = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
    const entry = { file: `${name}.segment`, bytes: bytes.length, sum: crc32(bytes) };
    const path = join(directory, entry.file);
    // A segment that was opened has its file already; damage is detected when it is read.
    if (!existsSync(path) || statSync(path).size !== bytes.length) writeWhole(path, bytes);
    this.#written.set(id, entry);
    return entry;
  }
}

const readManifest = (directory: string): { cursor: string; segments: readonly unknown[] } => {
  const text = readFileSync(join(directory, MANIFEST), 'utf8');
  const end = text.indexOf('\n');
  const rest = text.slice(end + 1);
  if (end !== 8 || crc32(rest) !== Number.parseInt(text.slice(0, end), 16)) throw new Error('its sum is another');
  const manifest: unknown = JSON.parse(rest);
  if (!isRecord(manifest) || manifest.format !== FORMAT) throw new Error('it is of another version');
  if (manifest.fingerprint !== fingerprint()) throw new Error('it was made with other weights or another analysis');
  const { cursor, segments } = manifest;
  if (typeof cursor !== 'string' || !Array.isArray(segments)) throw new Error('it has no segments');
  return { cursor, segments };
};

const readSegment = (directory: string, entry: unknown): Snapshot['segments'][number] => {
  if (!isRecord(entry)) throw new Error('a segment is not described');
  const { file, bytes, sum, removed } = entry;
  if (typeof file !== 'string' || !SEGMENT_FILE.test(file) || typeof removed !== 'string')
    throw new Error('a segment is not described');
  const path = join(directory, file);
  if (typeof bytes !== 'number' || statSync(path).size !== bytes) throw new Error(`${file} has another length`);
  const { buffer, sum: found } = readWhole(path, bytes);
  if (found !== sum) throw new Error(`${file} has another sum`);
  const bits = Buffer.from(removed, 'base64');
  const documents = documentsOf(openSegment(buffer));
  if (bits.length !== (documents + 7) >> 3) throw new Error(`${file} has other documents`);
  const shared = new SharedArrayBuffer(bits.length);
  new Uint8Array(shared).set(bits);
  return { buffer, removed: shared };
};

/** Restricts files of earlier releases. Modes that this account may not set stay. */
const makePrivate = (directory: string): void => {
  try {
    chmodSync(directory, DIRECTORY_MODE);
    for (const file of readdirSync(directory)) if (OURS.test(file)) chmodSync(join(directory, file), FILE_MODE);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) throw error;
  }
};

/** Reads the snapshot. A damaged or outdated one is deleted and its reason returned. */
export const openSnapshot = (directory: string): Snapshot | { readonly refused: string } | undefined => {
  if (existsSync(directory)) makePrivate(directory);
  if (!existsSync(join(directory, MANIFEST))) return undefined;
  try {
    const { cursor, segments } = readManifest(directory);
    return { cursor, segments: segments.map((entry) => readSegment(directory, entry)) };
  } catch (error) {
    for (const file of readdirSync(directory)) if (OURS.test(file)) rmSync(join(directory, file), { force: true });
    return { refused: error instanceof Error ? error.message : String(error) };
  }
};
