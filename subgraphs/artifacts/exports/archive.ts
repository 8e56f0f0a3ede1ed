import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { type TarFile, tarOf } from '@landfall/attestation/archive/tar';
import { inOrder, readChecked } from './artifact-content.ts';
import type { ArtifactReader } from './evidence-artifact.ts';
import type { ExportEntry } from './manifest.ts';
import { LEADING_FILES } from './sealed-export.ts';

const JOINED_BYTES = 65_536;

/** Export as it is streamed. */
export interface ExportArchive {
  readonly exportId: string;
  readonly entries: readonly ExportEntry[];
  /** Stored files by path. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Ids of the artifacts by their path. */
  readonly artifactIds: ReadonlyMap<string, string>;
}

/** Name of an archive's only directory, and of its file before the suffix. */
export const directoryOf = (exportId: string): string => `evidence-${exportId}`;

async function* filesOf(archive: ExportArchive, reader: ArtifactReader): AsyncGenerator<TarFile> {
  const { entries, files, artifactIds } = archive;
  for (const path of LEADING_FILES) {
    const content = files.get(path);
    if (!content) throw new TypeError(`an export has no ${path}`);
    yield { path, size: content.length, bytes: content };
  }
  yield* inOrder(entries, async ({ path, sha256, size }): Promise<TarFile> => {
    const content = files.get(path);
    if (content) return { path, size, bytes: content };
    const artifactId = artifactIds.get(path);
    if (artifactId === undefined) throw new TypeError(`an export has no ${path}`);
    return { path, size, bytes: await readChecked(reader, { artifactId, sha256, size }) };
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
