import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';

/** Bytes in memory that wait for the reader, at most, before the next file is asked for. */
const MAX_UNREAD_BYTES = 262_144;

/** File of a tar archive. */
export interface TarFile {
  readonly path: string;
  /** Exact number of bytes. */
  readonly size: number;
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
}

const headerOf = (directory: string, { path, size }: TarFile) => ({
  name: `${directory}/${path}`,
  size,
  mtime: new Date(0),
  mode: /^verify\.(sh|py)$/.test(path) ? 0o755 : 0o644,
  uid: 0,
  gid: 0,
  uname: '',
  gname: '',
});

/** Backpressure of files in memory, which the tar writer takes at any time. */
const createGate = () => {
  let unread = 0;
  let resume = (): void => {};
  return {
    async add(bytes: number): Promise<void> {
      unread += bytes;
      if (unread > MAX_UNREAD_BYTES) await new Promise<void>((resolve) => (resume = resolve));
    },
    /** Bytes of streams, which were not added, are read here too; the stream itself bounds them. */
    remove(bytes: number): void {
      unread = Math.max(0, unread - bytes);
      if (unread <= MAX_UNREAD_BYTES) resume();
    },
    open: (): void => resume(),
  };
};

const write = async (
  archive: Pack,
  { add }: ReturnType<typeof createGate>,
  directory: string,
  files: Iterable<TarFile> | AsyncIterable<TarFile>,
): Promise<void> => {
  for await (const file of files) {
    // A reader that went away has destroyed the archive.
    if (archive.destroyed) return;
    const { bytes } = file;
    const header = headerOf(directory, file);
    if (bytes instanceof Uint8Array) {
      const entry = archive.entry(header, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
      // An archive that is destroyed tells each entry that waits; its own reader learns the error.
      entry.on('error', () => undefined);
      await add(bytes.length + 512);
    } else await pipeline(Readable.from(bytes, { objectMode: false }), archive.entry(header));
  }
  archive.finalize();
};

/**
 * Writes a tar file in the order of its files. The same files give the same bytes: without times and owners. A reader that
 * stops ends the writing. An error of a file ends the archive before its end marker.
 */
export async function* tarOf(
  directory: string,
  files: Iterable<TarFile> | AsyncIterable<TarFile>,
): AsyncGenerator<Uint8Array> {
  const [archive, gate] = [pack(), createGate()];
  const writing = write(archive, gate, directory, files).catch((error) => void archive.destroy(error));
  try {
    for await (const chunk of archive) {
      if (!(chunk instanceof Uint8Array)) continue;
      gate.remove(chunk.length);
      yield chunk;
    }
  } finally {
    archive.destroy();
    gate.open();
    await writing;
  }
}
