import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type TarFile, tarOf } from '@landfall/attestation/archive/tar';
import { MalformedTrust } from '@landfall/attestation/bundle/trust';
import { MalformedJson } from '@landfall/attestation/signature/strict-json';
import { Fault } from '@landfall/kernel/core/fault';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import { extract, type Header } from 'tar-stream';
import { checkSeal, type ExportSignature } from './export-signature.ts';
import { type ExportManifest, MAX_MANIFEST_BYTES, MalformedManifest, parseManifest } from './manifest.ts';
import { LEADING_FILES } from './sealed-export.ts';

/** Archive that is not an export as the platform made it. The message says what is wrong. */
export class ExportRefused extends Error {
  override readonly name = 'ExportRefused';
}

/** Export whose every byte was checked. */
export interface VerifiedExport extends ExportSignature {
  readonly manifest: ExportManifest;
  /** Whether the keys are those of the archive itself, which proves nothing about who made it. */
  readonly isOwnTrust: boolean;
}

const MAX_STORED_BYTES = MAX_MANIFEST_BYTES * 2;

const refuse = (message: string): never => {
  throw new ExportRefused(message);
};

interface Expected {
  readonly path: string;
  readonly sha256?: string;
  readonly size?: number | undefined;
}

const refuseSize = (
  { header }: Pick<Entry, 'header'>,
  { path, size }: Pick<Expected, 'path' | 'size'>,
  isKept: boolean,
): void => {
  if (size !== undefined && header.size !== size) refuse(`${path} is not as long as in manifest.json`);
  if (isKept && (header.size ?? 0) > MAX_STORED_BYTES) refuse(`${path} is too long`);
};

/** Entry of the tar reader. */
interface Entry extends AsyncIterable<unknown> {
  readonly header: Header;
}

/** Walk through the entries of an archive, in the one order that an export has. */
const createWalk = () => {
  const kept = new Map<string, Buffer>();
  let manifest: ExportManifest | undefined;
  let position = 0;

  const expected = (): Expected | undefined => {
    const path = LEADING_FILES[position];
    return path === undefined ? manifest?.entries[position - LEADING_FILES.length] : { path };
  };

  async function* checked(entry: Entry, { path, sha256, size }: Expected): AsyncGenerator<Uint8Array> {
    const isKept = sha256 === undefined || path === 'trust-root.json';
    refuseSize(entry, { path, size }, isKept);
    const hasher = createHash('sha256');
    const chunks: Buffer[] = [];
    for await (const chunk of entry) {
      if (!Buffer.isBuffer(chunk)) continue;
      hasher.update(chunk);
      if (isKept) chunks.push(chunk);
      yield chunk;
    }
    if (sha256 !== undefined && hasher.digest('hex') !== sha256) refuse(`${path} is not as in manifest.json`);
    if (isKept) kept.set(path, Buffer.concat(chunks));
    if (path === 'manifest.json') manifest = parseManifest(String(kept.get(path)));
    position += 1;
  }

  return {
    file(entry: Entry, directory: string): TarFile {
      const { name, size = 0, type } = entry.header;
      const next = expected() ?? refuse(`${name} is not in manifest.json`);
      if (type !== 'file' || name !== `${directory}/${next.path}`)
        refuse(`there is ${name} where ${next.path} must be`);
      return { path: next.path, size, bytes: checked(entry, next) };
    },
    end() {
      const next = expected();
      if (!manifest || next) return refuse(`${next?.path ?? 'manifest.json'} is missing`);
      return { manifest, files: kept };
    },
  };
};

/**
 * Reads the tar file and writes it again from what was read: the same bytes mean that headers and padding hold nothing
 * else either.
 */
const readArchive = async (archive: AsyncIterable<Uint8Array>) => {
  const [extractor, walk] = [extract(), createWalk()];
  const [read, written] = [createHash('sha256'), createHash('sha256')];
  const hashed = async function* (source: AsyncIterable<Uint8Array>) {
    for await (const chunk of source) {
      read.update(chunk);
      yield chunk;
    }
  };
  const feeding = pipeline(archive, createGunzip(), hashed, extractor).then(
    () => undefined,
    (error: unknown) => error,
  );
  const entries = extractor[Symbol.asyncIterator]();
  const first = await entries.next();
  const directory = first.done ? refuse('it is empty') : (first.value.header.name.split('/', 1)[0] ?? '');
  async function* files(): AsyncGenerator<TarFile> {
    for (let next = first; !next.done; next = await entries.next()) yield walk.file(next.value, directory);
  }
  try {
    for await (const chunk of tarOf(directory, files())) written.update(chunk);
  } finally {
    extractor.destroy();
  }
  const failure = await feeding;
  if (failure) throw failure;
  if (read.digest('hex') !== written.digest('hex')) refuse('its headers are not those of an export');
  return walk.end();
};

const checkSums = (files: ReadonlyMap<string, Buffer>): void => {
  const names = ['manifest.dsse.json', 'manifest.json', 'manifest.tsr'];
  const sums = names.map((name) => `${sha256Hex(files.get(name) ?? '')}  ${name}\n`).join('');
  if (String(files.get('SHA256SUMS')) !== sums) refuse('SHA256SUMS is not that of the manifest and its signature');
};

const asRefusal = (error: unknown): unknown => {
  const isMalformed =
    error instanceof MalformedManifest || error instanceof MalformedJson || error instanceof MalformedTrust;
  if (isMalformed || error instanceof Fault) return new ExportRefused(error.message);
  // Errors of zlib and of the tar reader at bytes that are no archive, or not a whole one.
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isUnreadable = code.startsWith('Z_') || code === 'ERR_STREAM_PREMATURE_CLOSE';
  return isUnreadable || /tar|Unexpected end of data/i.test(String(error))
    ? new ExportRefused('it is no whole archive: it was cut off or changed')
    : error;
};

/**
 * Verifies the archive of an export by a trust document, or by the archive's own without one: every byte of the tar file,
 * the signature, and the timestamp, whose time decides whether the key and the certificates were valid. Needs no database,
 * network or clock, and reads the archive once.
 * @throws ExportRefused
 */
export const verifyExport = async (archive: AsyncIterable<Uint8Array>, trust?: string): Promise<VerifiedExport> => {
  try {
    const { manifest, files } = await readArchive(archive);
    checkSums(files);
    const signed = checkSeal(files, trust ?? String(files.get('trust-root.json')));
    if (typeof signed === 'string') return refuse(signed);
    return { ...signed, manifest, isOwnTrust: trust === undefined };
  } catch (error) {
    throw asRefusal(error);
  }
};
