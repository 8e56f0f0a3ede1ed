import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import { expandsTooMuch, LIMITS } from './limits.ts';
import { Unreadable } from './reader.ts';

const inflate = promisify(inflateRaw);

interface ZipEntry {
  readonly path: string;
  readonly isEncrypted: boolean;
  readonly isLink: boolean;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly unpacked: number;
  readonly offset: number;
}

const END = 0x06054b50;
const END_64_LOCATOR = 0x07064b50;
const END_64 = 0x06064b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const END_SIZE = 22;
const MAX_COMMENT_LENGTH = 65_535;
const STORED = 0;
const DEFLATED = 8;
const FULL_32 = 0xffffffff;

const bytesAt = async (file: FileHandle, position: number, length: number): Promise<Buffer> => {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  if (bytesRead < length) throw new Unreadable('the archive ends too early');
  return buffer;
};

interface Directory {
  readonly count: number;
  readonly size: number;
  readonly offset: number;
}

/** Archives of more than 65,535 files or 4 GiB have a second end ahead of the first. */
const largeDirectory = async (file: FileHandle, endAt: number): Promise<Directory | undefined> => {
  if (endAt < 20) return undefined;
  const locator = await bytesAt(file, endAt - 20, 20);
  if (locator.readUInt32LE(0) !== END_64_LOCATOR) return undefined;
  const end = await bytesAt(file, Number(locator.readBigUInt64LE(8)), 56);
  if (end.readUInt32LE(0) !== END_64) throw new Unreadable('the end of the archive is broken');
  return {
    count: Number(end.readBigUInt64LE(32)),
    size: Number(end.readBigUInt64LE(40)),
    offset: Number(end.readBigUInt64LE(48)),
  };
};

const directoryOf = async (file: FileHandle, size: number): Promise<Directory> => {
  const tail = Math.min(size, END_SIZE + MAX_COMMENT_LENGTH);
  const bytes = await bytesAt(file, size - tail, tail);
  for (let at = tail - END_SIZE; at >= 0; at--) {
    if (bytes.readUInt32LE(at) !== END) continue;
    const found = {
      count: bytes.readUInt16LE(at + 10),
      size: bytes.readUInt32LE(at + 12),
      offset: bytes.readUInt32LE(at + 16),
    };
    return (await largeDirectory(file, size - tail + at)) ?? found;
  }
  throw new Unreadable('the archive has no table of contents');
};

/** Sizes that 32 bits do not hold are in an extra field, in this order. */
const largeValues = (extra: Buffer, values: readonly number[]): number[] => {
  let large: Buffer | undefined;
  for (let index = 0; index + 4 <= extra.length; index += 4 + extra.readUInt16LE(index + 2))
    if (extra.readUInt16LE(index) === 1) large = extra.subarray(index + 4, index + 4 + extra.readUInt16LE(index + 2));
  let used = 0;
  return values.map((value) => {
    if (value !== FULL_32 || large === undefined || used + 8 > large.length) return value;
    used += 8;
    return Number(large.readBigUInt64LE(used - 8));
  });
};

const entryAt = (bytes: Buffer, index: number): { readonly entry: ZipEntry; readonly next: number } => {
  if (index + 46 > bytes.length || bytes.readUInt32LE(index) !== ENTRY)
    throw new Unreadable('the table of contents is broken');
  const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => bytes.readUInt16LE(index + field));
  const nameEnd = index + 46 + (nameLength ?? 0);
  const extraEnd = nameEnd + (extraLength ?? 0);
  const [unpacked = 0, packed = 0, offset = 0] = largeValues(bytes.subarray(nameEnd, extraEnd), [
    bytes.readUInt32LE(index + 24),
    bytes.readUInt32LE(index + 20),
    bytes.readUInt32LE(index + 42),
  ]);
  const entry: ZipEntry = {
    path: bytes.subarray(index + 46, nameEnd).toString('utf8'),
    isEncrypted: (bytes.readUInt16LE(index + 8) & 1) === 1,
    // Unix's file type is in the upper half.
    isLink: ((bytes.readUInt32LE(index + 38) >>> 16) & 0o170000) === 0o120000,
    method: bytes.readUInt16LE(index + 10),
    crc: bytes.readUInt32LE(index + 16),
    packed,
    unpacked,
    offset,
  };
  return { entry, next: extraEnd + (commentLength ?? 0) };
};

const isStray = (path: string): boolean =>
  path === '' || path.length > 4_096 || /^(?:[/\\]|[A-Za-z]:)|[\0\\]/.test(path) || path.split('/').includes('..');

export const refusalOf = ({ path, isEncrypted, isLink, method, packed, unpacked }: ZipEntry): string | undefined => {
  if (isStray(path)) return 'its path leads out of the archive';
  if (isLink) return 'it is a link';
  if (isEncrypted) return 'it is encrypted';
  if (method !== STORED && method !== DEFLATED) return `it is packed by method ${method}; 0 and 8 are read`;
  if (unpacked > LIMITS.archivedFile) return `it has ${unpacked} bytes, at most ${LIMITS.archivedFile} are read`;
  return expandsTooMuch(packed, unpacked) ? `it would grow from ${packed} to ${unpacked} bytes` : undefined;
};

const readEntry = async (file: FileHandle, entry: ZipEntry): Promise<Buffer> => {
  const header = await bytesAt(file, entry.offset, 30);
  if (header.readUInt32LE(0) !== LOCAL) throw new Unreadable('it is not where the archive says');
  const from = entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = await bytesAt(file, from, entry.packed);
  const bytes =
    entry.method === STORED
      ? packed
      : await inflate(packed, { maxOutputLength: Math.max(1, entry.unpacked) }).catch(() => {
          throw new Unreadable('it cannot be unpacked to the size that the archive says');
        });
  if (bytes.length !== entry.unpacked || crc32(bytes) !== entry.crc) throw new Unreadable('its checksum does not fit');
  return bytes;
};

const listEntries = async (file: FileHandle, size: number): Promise<ZipEntry[]> => {
  const directory = await directoryOf(file, size);
  if (directory.count > LIMITS.archivedFiles || directory.size > LIMITS.directory)
    throw new Unreadable(`the archive has ${directory.count} files, at most ${LIMITS.archivedFiles} are read`);
  if (directory.offset + directory.size > size) throw new Unreadable('the table of contents is broken');
  const bytes = await bytesAt(file, directory.offset, directory.size);
  const entries: ZipEntry[] = [];
  for (let index = 0; entries.length < directory.count; ) {
    const { entry, next } = entryAt(bytes, index);
    entries.push(entry);
    index = next;
  }
  return entries;
};

/** Maps an out-of-range length to the error of a broken archive. */
const asUnreadable = (error: unknown): unknown =>
  error instanceof RangeError ? new Unreadable('the archive is broken') : error;

/**
 * Opens an archive and reads its table of contents.
 * @throws Unreadable where it is broken, or built to expand excessively
 */
export const openZip = async (path: string) => {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const entries = await listEntries(file, size);
    const [packed, unpacked] = entries.reduce(
      ([one, other], entry) => [one + entry.packed, other + entry.unpacked],
      [0, 0],
    );
    if (packed > size) throw new Unreadable('files of the archive lie over one another');
    if (unpacked > LIMITS.unpacked)
      throw new Unreadable(`the archive has ${unpacked} bytes unpacked, at most ${LIMITS.unpacked} are read`);
    /** @throws Unreadable where the data contradicts the directory */
    const read = (entry: ZipEntry): Promise<Buffer> =>
      readEntry(file, entry).catch((error: unknown) => {
        throw asUnreadable(error);
      });
    return { entries, read, [Symbol.asyncDispose]: () => file.close() };
  } catch (error) {
    await file.close();
    throw asUnreadable(error);
  }
};
