import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { systemErrorCodeOf } from '@landfall/kernel/core/system-error-code';
import { type Digest, sha256 } from '@landfall/kernel/crypto/digest';
import { bundleName } from './bundle.ts';
import { InvalidDocument, refuse } from './document.ts';
import { MAX_BUNDLE_BYTES } from './read-bundle.ts';

const unlessMissing = (error: unknown): undefined => {
  if (systemErrorCodeOf(error) === 'ENOENT') return undefined;
  throw error;
};

const sync = async (path: string): Promise<void> => {
  await using directory = await open(path, 'r');
  await directory.sync();
};

const replaceFile = async (directory: string, path: string, bytes: Uint8Array): Promise<void> => {
  const temporary = join(directory, `.tmp-${randomUUID()}`);
  try {
    {
      await using file = await open(temporary, 'wx', 0o640);
      await file.writeFile(bytes);
      await file.sync();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  // The rename itself is durable only with its directory.
  await sync(directory);
};

/** Bundle to write: the bytes of its ZIP, and what its name is made of. */
interface NewBundle {
  readonly scanId: string;
  readonly rootHash: Digest;
  readonly bytes: Uint8Array;
  /** Setting `scoreReplay.contentAddressedBundles`: without it the bundle of an earlier replay is replaced. */
  readonly isContentAddressed: boolean;
}

/** Written bundle: its path, and the digest of its bytes. */
interface StoredBundle {
  readonly path: string;
  readonly bundleHash: Digest;
}

/**
 * Writes a bundle into a directory, durably and in one step. The same bundle again is a success.
 * @throws InvalidDocument `bundle-conflict` if a content-addressed name has other bytes
 */
export const writeBundle = async (directory: string, bundle: NewBundle): Promise<StoredBundle> => {
  const { scanId, rootHash, bytes, isContentAddressed } = bundle;
  await mkdir(directory, { recursive: true, mode: 0o750 });
  const path = join(directory, bundleName(scanId, rootHash, isContentAddressed));
  const stored = { path, bundleHash: sha256(bytes) };
  const existing = isContentAddressed ? await readFile(path).catch(unlessMissing) : undefined;
  if (existing && Buffer.compare(existing, bytes) !== 0)
    refuse('bundle-conflict', `${path} has other bytes than this bundle of the same name.`);
  if (!existing) await replaceFile(directory, path, bytes);
  return stored;
};

const missing = (uri: string): InvalidDocument =>
  new InvalidDocument('bundle-missing', `There is no proof bundle ${JSON.stringify(uri)}.`);

/** Real path of a bundle below the base path. No file is opened. */
const locate = async (basePath: string, uri: string): Promise<string> => {
  if (uri.includes('\0')) throw missing(uri);
  const [base, path] = await Promise.all(
    [basePath, resolve(basePath, uri)].map((each) => realpath(each).catch(() => undefined)),
  );
  if (base === undefined || path === undefined) throw missing(uri);
  if (!path.startsWith(base.endsWith(sep) ? base : `${base}${sep}`))
    refuse('bundle-outside', `${JSON.stringify(uri)} is not below the directory of proof bundles.`);
  return path;
};

/**
 * Reads the file of a bundle, which must be below the base path with all links resolved.
 * @throws InvalidDocument `bundle-missing`, `bundle-outside`, `bundle-limit`
 */
export const readBundleFile = async (basePath: string, uri: string): Promise<Buffer> => {
  const path = await locate(basePath, uri);
  // Without blocking, since a named pipe would never answer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (!file) throw missing(uri);
  try {
    const facts = await file.stat();
    if (!facts.isFile()) throw missing(uri);
    if (facts.size > MAX_BUNDLE_BYTES) refuse('bundle-limit', `The bundle is larger than ${MAX_BUNDLE_BYTES} bytes.`);
    return await file.readFile();
  } finally {
    await file.close();
  }
};
