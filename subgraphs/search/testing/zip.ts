import { crc32, deflateRawSync } from 'node:zlib';

/** File of a test archive; its declared sizes may be false. */
export interface Packed {
  readonly path: string;
  readonly content: string | Buffer;
  /** Size that the central directory declares. */
  readonly unpacked?: number;
  readonly flags?: number;
  readonly method?: number;
  /** Unix's mode, where it is a link. */
  readonly mode?: number;
  /** Offset, if it differs from the actual one. */
  readonly offset?: number;
  readonly crc?: number;
}

const numbers = (...pairs: readonly (readonly [size: 2 | 4, value: number])[]): Buffer =>
  Buffer.concat(
    pairs.map(([size, value]) => {
      const buffer = Buffer.alloc(size);
      buffer.writeUIntLE(value, 0, size);
      return buffer;
    }),
  );

/** Creates an archive of these files, deflated, for tests of archive readers. */
export const zipOf = (files: readonly Packed[]): Buffer => {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let index = 0;
  for (const { path, content, flags = 0, method = 8, mode = 0o100644, offset, ...said } of files) {
    const plain = Buffer.from(content);
    const packed = method === 8 ? deflateRawSync(plain) : plain;
    const name = Buffer.from(path);
    const { unpacked = plain.length, crc = crc32(plain) } = said;
    const shared = numbers(
      [2, 20],
      [2, flags],
      [2, method],
      [4, 0],
      [4, crc],
      [4, packed.length],
      [4, unpacked],
      [2, name.length],
      [2, 0],
    );
    const local = Buffer.concat([numbers([4, 0x04034b50]), shared, name, packed]);
    const rest = numbers([2, 0], [2, 0], [2, 0], [4, mode * 65_536], [4, offset ?? index]);
    directory.push(Buffer.concat([numbers([4, 0x02014b50], [2, 0x314]), shared, rest, name]));
    parts.push(local);
    index += local.length;
  }
  const table = Buffer.concat(directory);
  const end = numbers(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, files.length],
    [2, files.length],
    [4, table.length],
    [4, index],
    [2, 0],
  );
  return Buffer.concat([...parts, table, end]);
};
