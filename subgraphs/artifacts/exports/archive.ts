import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { type TarFile, tarOf } from '@landfall/attestation/archive/tar';
import { inOrder, readChecked } from './artifact-content.ts';
import type { ArtifactReader, FrozenArtifact } from './evidence-artifact.ts';
import type { ExportEntry } from './manifest.ts';
import { LEADING_FILES } from './sealed-export.ts';

const JOINED_BYTES = 65_536;

/** Export as it is streamed. */
export interface ExportArchive {
  readonly exportId: string;
  readonly entries: readonly ExportEntry[];
  /** Stored files by path. */
  readonly files: ReadonlyMap<string, Omit<TarFile, 'path'>>;
  /** Artifacts of the bundle by their paths; those that are no entry are skipped. */
  readonly artifacts: Iterable<ArchivedArtifact> | AsyncIterable<ArchivedArtifact>;
}

type ArchivedArtifact = Pick<FrozenArtifact, 'artifactId' | 'path' | 'storageKey'>;

/** Name of an archive's only directory, and of its file before the suffix. */
export const directoryOf = (exportId: string): string => `evidence-${exportId}`;

const absent = (path: string): never => {
  throw new TypeError(`an export has no ${path}`);
};

/** Entry with what makes its file. */
interface Content {
  readonly entry: ExportEntry;
  readonly from: Omit<TarFile, 'path'> | ArchivedArtifact;
}

/** Joins the entries with their stored files and with the artifacts, which come in the same order. */
async function* contentsOf({ entries, files, artifacts }: ExportArchive): AsyncGenerator<Content> {
  let at = 0;
  function* storedFiles(): Generator<Content> {
    for (let entry = entries[at]; entry; entry = entries[at]) {
      const from = files.get(entry.path);
      if (!from) return;
      yield { entry, from };
      at += 1;
    }
  }
  for await (const from of artifacts) {
    yield* storedFiles();
    const entry = entries[at];
    if (entry?.path !== from.path) continue;
    yield { entry, from };
    at += 1;
  }
  yield* storedFiles();
  const rest = entries[at];
  if (rest) absent(rest.path);
}

async function* filesOf(archive: ExportArchive, reader: ArtifactReader): AsyncGenerator<TarFile> {
  for (const path of LEADING_FILES) yield { path, ...(archive.files.get(path) ?? absent(path)) };
  yield* inOrder(contentsOf(archive), async ({ entry: { path, sha256, size }, from }): Promise<TarFile> => {
    if ('bytes' in from) return { path, ...from };
    return { path, size, bytes: await readChecked(reader, { ...from, sha256, size }) };
  });
}

/** Writes the tar file of an export: manifest first, then its entries in order. Throws ArtifactChanged. */
export const exportTar = (archive: ExportArchive, reader: ArtifactReader): AsyncGenerator<Uint8Array> =>
  tarOf(directoryOf(archive.exportId), filesOf(archive, reader));

/** Joins small chunks: each chunk costs the compressor a round trip to its thread. */
async function* joined(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    length += chunk.length;
    if (length < JOINED_BYTES) continue;
    yield Buffer.concat(waiting, length);
    [waiting, length] = [[], 0];
  }
  yield Buffer.concat(waiting, length);
}

/**
 * Compresses an archive. An error of the archive ends the output before the trailer of gzip, so that no reader takes what
 * came of it for whole.
 */
export async function* gzipOf(tar: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  const feeding = pipeline(joined(tar), gzip).catch((error) => void gzip.destroy(error));
  try {
    for await (const chunk of gzip) if (Buffer.isBuffer(chunk)) yield chunk;
  } finally {
    gzip.destroy();
    await feeding;
  }
}
