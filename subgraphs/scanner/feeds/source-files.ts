import { createReadStream } from 'node:fs';
import { opendir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { UnreadableDocument } from '../advisories/document-fields.ts';

/** File of an import, or one inside an archive. */
export interface SourceFile {
  /** As an operator finds it: `all.zip!GHSA-1.json`. */
  readonly name: string;
  /** Whole content. Throws UnreadableDocument for one that is too large. */
  text(): Promise<string>;
  /** Content in pieces, unpacked where the name ends in `.gz`. */
  bytes(): AsyncIterable<Uint8Array>;
}

/** Bytes of one document; the largest advisory has some megabytes. */
const LARGEST = 64 * 1024 * 1024;

const textOf = (bytes: Uint8Array, size: number): string => {
  if (size > LARGEST) throw new UnreadableDocument(`it has ${size} bytes, at most ${LARGEST} are read`);
  return new TextDecoder().decode(bytes);
};

/** Whole content of an unpacked stream, of which no more is read than one document may have. */
const boundedText = async (pieces: AsyncIterable<Uint8Array>): Promise<string> => {
  const read: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > LARGEST) return textOf(new Uint8Array(), size);
    read.push(piece);
  }
  return textOf(Buffer.concat(read), size);
};

const plainFile = (path: string, name: string): SourceFile => {
  const bytes = (): AsyncIterable<Uint8Array> => {
    const stream = createReadStream(path);
    return name.endsWith('.gz') ? stream.pipe(createGunzip()) : stream;
  };
  return {
    name,
    bytes,
    text: async () => {
      const { size } = await stat(path);
      if (size > LARGEST) return textOf(new Uint8Array(), size);
      return name.endsWith('.gz') ? boundedText(bytes()) : textOf(await readFile(path), size);
    },
  };
};

const brokenArchive = (error: unknown): never => {
  throw new UnreadableDocument(`the archive cannot be read: ${error instanceof Error ? error.message : String(error)}`);
};

const archivedFile = (zip: ZipFile, entry: Entry, name: string): SourceFile => {
  const open = () => zip.openReadStreamPromise(entry).catch(brokenArchive);
  return {
    name: `${name}!${entry.fileName}`,
    bytes: async function* () {
      yield* await open();
    },
    text: async () => {
      if (entry.uncompressedSize > LARGEST) return textOf(new Uint8Array(), entry.uncompressedSize);
      return textOf(await buffer(await open()).catch(brokenArchive), entry.uncompressedSize);
    },
  };
};

async function* archivedFiles(path: string, name: string): AsyncGenerator<SourceFile> {
  const zip = await openPromise(path, { autoClose: false, strictFileNames: true }).catch(brokenArchive);
  try {
    const entries = zip.eachEntry();
    for (;;) {
      const next = await entries.next().catch(brokenArchive);
      if (next.done) return;
      if (!next.value.fileName.endsWith('/')) yield archivedFile(zip, next.value, name);
    }
  } finally {
    zip.close();
  }
}

/** Files of a path: the file, what is in a ZIP archive, or everything below a directory. Links and `.git` are left out. */
export async function* sourceFiles(path: string, name = path): AsyncGenerator<SourceFile> {
  const found = await stat(path);
  if (found.isFile()) {
    if (name.toLowerCase().endsWith('.zip')) yield* archivedFiles(path, name);
    else yield plainFile(path, name);
    return;
  }
  for await (const entry of await opendir(path)) {
    if (basename(entry.name) === '.git' || entry.isSymbolicLink()) continue;
    if (entry.isFile() || entry.isDirectory()) yield* sourceFiles(join(path, entry.name), join(name, entry.name));
  }
}
