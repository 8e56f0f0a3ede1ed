import { crc32 } from 'node:zlib';

/** Writer of ZIP archives with stored files only (APPNOTE 6.3.10, 4.3): the same entries are the same bytes. */

const VERSION_NEEDED = 20;
// Unix, so that the attributes are a file mode.
const VERSION_MADE_BY = 0x033f;
const UTF_8 = 0x0800;
// A ZIP entry stores local time: fields that are written as they are do not depend on a time zone.
const DATE_1980_01_01 = 0x0021;
const REGULAR_FILE_0644 = 0o100644;

/** File of an archive. */
interface ZipEntry {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Fields from the needed version to the length of the name, which both headers of an entry have. */
const sharedFields = ({ name, bytes }: ZipEntry): Buffer => {
  const fields = Buffer.alloc(24);
  fields.writeUInt16LE(VERSION_NEEDED, 0);
  fields.writeUInt16LE(UTF_8, 2);
  fields.writeUInt16LE(DATE_1980_01_01, 8);
  fields.writeUInt32LE(crc32(bytes), 10);
  fields.writeUInt32LE(bytes.length, 14);
  fields.writeUInt32LE(bytes.length, 18);
  fields.writeUInt16LE(Buffer.byteLength(name), 22);
  return fields;
};

const centralHeader = (shared: Buffer, offset: number): Buffer => {
  const header = Buffer.alloc(46);
  header.write('PK\x01\x02', 'latin1');
  header.writeUInt16LE(VERSION_MADE_BY, 4);
  shared.copy(header, 6);
  header.writeUInt32LE(REGULAR_FILE_0644 * 0x1_0000, 38);
  header.writeUInt32LE(offset, 42);
  return header;
};

const endOfDirectory = (count: number, size: number, offset: number): Buffer => {
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return end;
};

/** Writes an archive of these files in their order. Throws RangeError above 4 GiB, since it has no ZIP64. */
export const writeZip = (entries: readonly ZipEntry[]): Buffer => {
  const files: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const shared = sharedFields(entry);
    directory.push(centralHeader(shared, offset), name);
    files.push(Buffer.from('PK\x03\x04', 'latin1'), shared, Buffer.alloc(2), name, entry.bytes);
    offset += 30 + name.length + entry.bytes.length;
  }
  const size = directory.reduce((total, { length }) => total + length, 0);
  return Buffer.concat([...files, ...directory, endOfDirectory(entries.length, size, offset)]);
};
