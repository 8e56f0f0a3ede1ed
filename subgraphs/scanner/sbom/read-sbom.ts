import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DetectingReader } from './detection.ts';
import { DEFAULT_SBOM_LIMITS, type Sbom, type SbomLimits } from './sbom.ts';
import { SbomError } from './sbom-error.ts';

/** Hands on chunks until they are more than a limit. Throws too_large. */
async function* bounded(chunks: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > limit) throw new SbomError('too_large', `The document is larger than ${limit} bytes`);
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
}

/** Hands on chunks, the first of which has two bytes unless there are no more. */
async function* withHead(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head === undefined) yield chunk;
    else {
      head = Buffer.concat([head, chunk]);
      if (head.length < 2) continue;
      yield head;
      head = undefined;
    }
  }
  if (head !== undefined) yield head;
}

async function* expanded(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    // Errors of the source and of the decompression are thrown by the iteration.
    yield* pipeline(Readable.from(chunks), createGunzip(), () => undefined);
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      throw new SbomError('bad_gzip', `The gzip file cannot be decompressed: ${error.message}`);
    throw error;
  }
}

/** Bytes of a document, decompressed if they are gzip (RFC 1952). Throws SbomError. */
export async function* documentBytes(source: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Buffer> {
  const chunks = withHead(bounded(source, limit));
  try {
    const first = await chunks.next();
    if (first.done) return;
    const whole = (async function* () {
      yield first.value;
      yield* chunks;
    })();
    if (first.value.toString('latin1', 0, 2) === '\x1f\x8b') yield* bounded(expanded(whole), limit);
    else yield* whole;
  } finally {
    // A document that is refused early leaves the source unread.
    await chunks.return(undefined);
  }
}

/** Reads an SBOM from the bytes of `documentBytes`. Throws SbomError. */
export const parseSbom = async (bytes: AsyncIterable<Uint8Array>, limits: SbomLimits): Promise<Sbom> => {
  const reader = new DetectingReader(limits);
  for await (const chunk of bytes) reader.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  return reader.end();
};

/**
 * Reads an SBOM as a stream: CycloneDX 1.0 to 1.7 (JSON, XML), SPDX 2.1 to 2.3 (JSON, tag-value), also in a DSSE
 * envelope or an in-toto statement, also gzip. Throws SbomError for every other document.
 */
export const readSbom = (source: AsyncIterable<Uint8Array>, limits: SbomLimits = DEFAULT_SBOM_LIMITS): Promise<Sbom> =>
  parseSbom(documentBytes(source, limits.bytes), limits);
