import { createReadStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import type { Who } from '@landfall/kernel/core/caller';
import { createDigester } from '@landfall/kernel/crypto/digest';
import type { Database } from '@landfall/kernel/db/database';
import { documentBytes, parseSbom } from '../sbom/read-sbom.ts';
import { DEFAULT_SBOM_LIMITS, type Sbom, type SbomLimits } from '../sbom/sbom.ts';
import * as store from './sboms.store.ts';

/** Name of the folders of bills that are being received, up to what makes each unique. */
const FOLDER = 'landfall-sbom-';
/** Age of a folder whose process was killed: a request ends within minutes. */
const ABANDONED_MS = 3_600_000;

/** Removes the folders that killed processes left behind. A folder that cannot be read or removed stays. */
export const removeAbandoned = async (now: Date): Promise<void> => {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(FOLDER))) {
    const path = join(tmpdir(), name);
    try {
      if (now.getTime() - (await stat(path)).mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true });
    } catch {
      // Another process removes it, or owns it.
    }
  }
};

/** Bytes of one part of a stored document. */
const PART = 1024 * 1024;

/** Writes a gzipped copy of what passes through to a file, so that a large document is never in memory. */
async function* copied(
  chunks: AsyncIterable<Uint8Array>,
  file: FileHandle,
  add: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  const gzip = createGzip();
  const written = (async () => {
    for await (const packed of gzip) await file.writeFile(packed);
  })();
  written.catch(() => undefined); // awaited below; an error before that ends the iteration
  try {
    for await (const chunk of chunks) {
      add(chunk);
      if (!gzip.write(chunk)) await new Promise((resolve) => gzip.once('drain', resolve));
      yield chunk;
    }
    gzip.end();
    await written;
  } finally {
    gzip.destroy();
  }
}

/** Characters of the longest name and package URL of a subject: an entry of an index has an upper bound. */
const LONGEST_NAME = 500;
const LONGEST_PURL = 2_000;

/** Subject of a bill as it is stored; a longer name is cut, a longer package URL is left out. */
const subjectOf = ({ subject }: Sbom) => {
  const { name = null, version = null, purl = null } = subject ?? {};
  return {
    // A cut may leave half a surrogate pair.
    subjectName: name?.slice(0, LONGEST_NAME).toWellFormed() ?? null,
    subjectVersion: version,
    subjectPurl: purl !== null && purl.length <= LONGEST_PURL ? purl : null,
  };
};

const storeParts = async (database: Database, { tenant }: Who, sbom: store.StoredSbom, path: string): Promise<void> =>
  database.write(tenant, async (tx) => {
    await store.upsert(tx, tenant, sbom);
    if (await store.hasParts(tx, tenant, sbom.digest)) return;
    let part = 0;
    for await (const content of createReadStream(path, { highWaterMark: PART })) {
      await store.insertPart(tx, tenant, sbom.digest, part, content);
      part += 1;
    }
  });

/**
 * Receives a bill of materials as a stream, reads it once to refuse what is none, and stores it under the digest of its
 * unpacked bytes. The same bytes again are the same bill. Throws SbomError.
 */
export const receiveSbom = async (
  database: Database,
  who: Who,
  body: AsyncIterable<Uint8Array>,
  limits: SbomLimits = DEFAULT_SBOM_LIMITS,
): Promise<store.StoredSbom> => {
  const directory = await mkdtemp(join(tmpdir(), FOLDER));
  try {
    const path = join(directory, 'sbom.gz');
    const digester = createDigester();
    await using file = await open(path, 'wx', 0o600);
    const read = await parseSbom(copied(documentBytes(body, limits.bytes), file, digester.add), limits);
    const sbom = { digest: digester.digest(), format: read.format, ...subjectOf(read) };
    await storeParts(database, who, sbom, path);
    return sbom;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

/** Stored document, gzipped, part by part. */
export async function* storedDocument(database: Database, { tenant }: Who, digest: string): AsyncGenerator<Buffer> {
  for (let part = 0; ; part++) {
    const found = await database.read(tenant, (query) => store.findPart(query, tenant, digest, part));
    if (!found) return;
    yield found.bytes;
  }
}
