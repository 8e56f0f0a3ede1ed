import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, link, lstat, mkdir, readdir, readlink, realpath, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join, posix, relative, sep } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { Fault } from '@landfall/kernel/core/fault';
import type { Digest } from '@landfall/kernel/crypto/digest';
import { type Extract, extract } from 'tar-stream';
import { failure, systemCode } from '../protocol/failure.ts';
import { setFocused } from './file-tree.ts';
import { refused } from './image-documents.ts';

export type UnpackLimits = Readonly<{ maxFiles: number; maxFileBytes: number; maxTreeBytes: number }>;

export const unpackLimits: UnpackLimits = {
  maxFiles: 500_000,
  maxFileBytes: 2 * 1024 * 1024 * 1024,
  maxTreeBytes: 8 * 1024 * 1024 * 1024,
};

export type Layer = Readonly<{ file: string; compression: 'none' | 'gzip' | 'zstd'; diffId: Digest }>;

type Entry = Extract extends AsyncIterable<infer Item> ? Item : never;

const whiteout = '.wh.';
const opaque = '.wh..wh..opq';

/** Checks whether `path` is `root` or lies below it. Both must be absolute and normalised. */
const isWithin = (root: string, path: string): boolean => path === root || path.startsWith(root + sep);

/** Names in a path, without empty ones and `.`. */
const namesOf = (path: string): readonly string[] => path.split('/').filter((name) => name !== '' && name !== '.');

/** Splits an archive path into names. Raises for absolute paths, `..` and names that no file system allows. */
const componentsOf = (path: string): readonly string[] => {
  const parts = namesOf(path);
  if (path.startsWith('/') || parts.includes('..') || path.includes('\0'))
    throw refused(`unsafe path in a layer: ${path}`);
  return parts;
};

/** Limit of links followed in one path, the same as Linux's. */
const maxLinks = 40;

/** Kind of a path itself, without following links; undefined if nothing is there. */
const kindOf = async (path: string): Promise<'link' | 'directory' | 'other' | undefined> => {
  const found = await lstat(path).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error;
  });
  if (!found) return undefined;
  if (found.isSymbolicLink()) return 'link';
  return found.isDirectory() ? 'directory' : 'other';
};

/**
 * Finds the directory of an entry, one name at a time from the root. Resolves links itself, so that no name is looked
 * up or created outside of the tree. Creates a directory that no entry announced, as container runtimes do.
 */
const parentWithin = async (root: string, parts: readonly string[]): Promise<string> => {
  const refuse = (reason: string) => refused(`${parts.join('/')} lies behind ${reason}`);
  const names = parts.slice(0, -1);
  let directory = root;
  let links = 0;

  const up = (): void => {
    if (directory === root) throw refuse('a link that leaves the tree');
    directory = dirname(directory);
  };

  const follow = async (link: string): Promise<void> => {
    links += 1;
    if (links > maxLinks) throw refuse('links that lead in a circle');
    const target = await readlink(link);
    // An absolute link was made relative when it was written.
    if (target.startsWith('/')) throw refuse('a link that leaves the tree');
    names.unshift(...namesOf(target));
  };

  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    if (name === '..') {
      up();
      continue;
    }
    const path = join(directory, name);
    const kind = await kindOf(path);
    if (kind === 'other') throw refuse('what is no directory');
    if (kind === 'link') await follow(path);
    else {
      if (kind === undefined) await mkdir(path, { mode: 0o755 });
      directory = path;
    }
  }
  return directory;
};

/**
 * Rewrites a link's target to stay inside the tree: an absolute one refers to the image's root, so it becomes relative.
 */
const containedTarget = (root: string, parent: string, target: string): string => {
  const from = relative(root, parent);
  const expected = target.startsWith('/') ? posix.normalize(target).slice(1) : posix.join(from, target);
  if (expected === '..' || expected.startsWith('../')) throw refused(`a link leaves the tree: ${target}`);
  return target.startsWith('/') ? relative(parent, join(root, expected)) || '.' : target;
};

const exists = async (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

async function* bytesOf(entry: Entry) {
  yield* entry;
}

const createExtractor = (root: string, limits: UnpackLimits) => {
  let files = 0;
  let treeBytes = 0;
  /** Paths created by this layer, with their parent directories: whiteouts remove only paths of lower layers. */
  const created = new Set<string>();

  const remember = (path: string): void => {
    for (let at = path; at !== root && isWithin(root, at); at = dirname(at)) created.add(at);
  };

  const removeLower = async (path: string): Promise<void> => {
    if (!created.has(path)) return rm(path, { recursive: true, force: true });
    if (!(await lstat(path)).isDirectory()) return;
    for (const child of await readdir(path)) await removeLower(join(path, child));
  };

  const applyWhiteout = async (parent: string, name: string): Promise<void> => {
    if (name === opaque) {
      for (const child of await readdir(parent)) await removeLower(join(parent, child));
      return;
    }
    const hidden = name.slice(whiteout.length);
    if (hidden === '' || hidden === '.' || hidden === '..') throw refused(`unsafe whiteout in a layer: ${name}`);
    const path = join(parent, hidden);
    if (await exists(path)) await removeLower(path);
  };

  /** Removes whatever is at a path, without writing through links. */
  const clear = async (path: string): Promise<void> => rm(path, { recursive: true, force: true });

  const writeFile = async (entry: Entry, path: string, size: number, mode: number): Promise<void> => {
    if (size > limits.maxFileBytes)
      throw refused(`${entry.header.name} has ${size} bytes, above ${limits.maxFileBytes}`);
    await clear(path);
    // Iterated, not piped: an entry that its archive already destroyed would never end a pipe.
    await pipeline(bytesOf(entry), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    await chmod(path, mode | 0o400);
  };

  const makeDirectory = async (path: string, mode: number): Promise<void> => {
    const known = await lstat(path).catch(() => undefined);
    if (!known?.isDirectory()) {
      await clear(path);
      await mkdir(path);
    }
    await chmod(path, mode | 0o700);
  };

  const makeHardLink = async (target: string, path: string): Promise<void> => {
    const parts = componentsOf(target);
    const source = join(await parentWithin(root, parts), basename(target));
    if (!(await lstat(source).catch(() => undefined))?.isFile())
      throw refused(`a hard link to what is no file of the tree: ${target}`);
    if (source === path) return;
    await clear(path);
    await link(source, path);
  };

  const apply = async (entry: Entry): Promise<void> => {
    const { name, type, linkname, size, mode } = entry.header;
    const parts = componentsOf(name);
    const last = parts.at(-1);
    if (last === undefined) return;
    const parent = await parentWithin(root, parts);
    if (last.startsWith(whiteout)) return applyWhiteout(parent, last);
    const path = join(parent, last);
    // Set-user-id bits would give the agent's rights to every user who may run the file.
    const permissions = mode & 0o777;
    if (type === 'file' || type === 'contiguous-file') await writeFile(entry, path, size, permissions);
    else if (type === 'directory') await makeDirectory(path, permissions);
    else if (type === 'symlink') {
      const target = containedTarget(root, parent, linkname);
      await clear(path);
      await symlink(target, path);
    } else if (type === 'link') await makeHardLink(linkname, path);
    else throw refused(`${name} is a ${type ?? 'thing of unknown type'}, which no release holds`);
    remember(path);
  };

  return {
    count(bytes: number): void {
      treeBytes += bytes;
      if (treeBytes > limits.maxTreeBytes) throw refused(`the layers unpack to more than ${limits.maxTreeBytes} bytes`);
    },
    begin: () => created.clear(),
    async extract(entry: Entry): Promise<void> {
      files += 1;
      if (files > limits.maxFiles) throw refused(`the layers hold more than ${limits.maxFiles} entries`);
      await apply(entry);
      entry.resume();
    },
  };
};

type Extractor = ReturnType<typeof createExtractor>;

const decompressor = (compression: Layer['compression']) => {
  if (compression === 'gzip') return createGunzip();
  return compression === 'zstd' ? createZstdDecompress() : new PassThrough();
};

const unpackLayer = async (layer: Layer, extractor: Extractor, signal: AbortSignal): Promise<void> => {
  extractor.begin();
  const hasher = createHash('sha256');
  const tarball = extract();
  const hashed = async function* (source: Readable) {
    for await (const chunk of source) {
      if (!(chunk instanceof Uint8Array)) throw new TypeError('a layer is made of bytes');
      extractor.count(chunk.length);
      hasher.update(chunk);
      yield chunk;
    }
  };
  const entries = async () => {
    for await (const entry of tarball) await extractor.extract(entry);
  };
  const archive = pipeline(createReadStream(layer.file), decompressor(layer.compression), hashed, tarball, { signal });
  // The reader of entries would wait for ever for the rest of a broken archive.
  archive.catch((error: Error) => tarball.destroy(error));
  const ends = await Promise.allSettled([archive, entries()]);
  if (signal.aborted) throw signal.reason;
  const causes = ends.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []));
  // A Fault names the cause; the other side's "stream ended early" only follows from it.
  if (causes.length > 0) throw causes.find((cause) => cause instanceof Fault) ?? causes[0];
  const actual = `sha256:${hasher.digest('hex')}`;
  if (actual !== layer.diffId)
    throw failure(
      'DEPLOY_DIGEST_VERIFICATION_FAILED',
      'digest-mismatch',
      `layer unpacks to ${actual}, not ${layer.diffId}`,
    );
};

/** Checks after the last layer that no link leads out of the tree, also through other links. */
const checkLinks = async (root: string): Promise<void> => {
  for (const path of await setFocused(root)) {
    if (!(await lstat(join(root, path))).isSymbolicLink()) continue;
    const real = await realpath(join(root, path)).catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ELOOP' || systemCode(error) === 'ENOTDIR')
        return root;
      throw error;
    });
    if (!isWithin(root, real)) throw refused(`a link leaves the tree: ${path}`);
  }
};

const malformed = (error: unknown): unknown => {
  const code = systemCode(error);
  const isFormat = error instanceof Error && !(code?.startsWith('E') ?? false) && error.name !== 'Fault';
  return isFormat || code === 'ENAMETOOLONG'
    ? refused(`a layer is malformed: ${error instanceof Error ? error.message : ''}`, error)
    : error;
};

/**
 * Applies layers in order to the empty directory `directory` (OCI image-spec, layer.md), including whiteouts and opaque
 * directories. Refuses absolute paths, `..`, links that leave the tree, devices, and anything beyond `limits`; each
 * layer must match its `diffId`. Owners, set-id bits and times of the archive are ignored.
 */
export const unpack = async (
  directory: string,
  layers: readonly Layer[],
  limits: UnpackLimits,
  signal: AbortSignal,
): Promise<void> => {
  const root = await realpath(directory);
  const extractor = createExtractor(root, limits);
  try {
    for (const layer of layers) await unpackLayer(layer, extractor, signal);
    await checkLinks(root);
  } catch (error) {
    throw malformed(error);
  }
};
