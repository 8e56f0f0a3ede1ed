import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, lstat, mkdir, open, opendir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { systemErrorCodeOf } from '@landfall/kernel/core/system-error-code';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { dayOf, type ObjectStore, once } from './object-store.ts';
import { createSmallFiles } from './small-files.ts';

/** Bytes of one read. */
const CHUNK_BYTES = 256 * 1024;

const syncDirectory = async (path: string): Promise<void> => {
  await using directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  await directory.sync();
};

const unlessMissing = (error: unknown): undefined => {
  if (['ENOENT', 'ENOTDIR'].includes(systemErrorCodeOf(error))) return undefined;
  throw error;
};

/** A link in place of an object is none of ours. */
const unlessLink = (error: unknown): undefined =>
  systemErrorCodeOf(error) === 'ELOOP' ? undefined : unlessMissing(error);

/** A link or a pipe in place of an object is none of ours. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Reads a file, which is opened with the first read: an object that nobody reads leaves nothing open. */
async function* streamOf(path: string): AsyncGenerator<Uint8Array> {
  await using file = await open(path, FLAGS);
  yield* file.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false });
}

const createDirectory = (path: string): Promise<string | undefined> => mkdir(path, { recursive: true, mode: 0o750 });

/** Directories whose entries are known to be on the disk, above which all are synced again. */
const MOST_KNOWN = 10_000;

/** Creates the move of files to paths below a root; each and its directories are on the disk when the move ends. */
const createDurableMove = (root: string) => {
  const entries = new Map<string, Promise<void>>();

  /** Syncs the entry of a directory once: a put that finds the directory may not rely on the one that created it. */
  const syncEntry = (directory: string): Promise<void> => {
    const known = entries.get(directory);
    if (known) return known;
    if (entries.size >= MOST_KNOWN) entries.clear();
    const synced = syncDirectory(dirname(directory));
    entries.set(directory, synced);
    synced.catch(() => entries.delete(directory));
    return synced;
  };

  return async (from: string, to: string): Promise<void> => {
    const created = await createDirectory(dirname(to));
    const directories: string[] = [];
    const highest = Math.min(root.length, created?.length ?? root.length);
    for (let path = dirname(to); path.length >= highest; path = dirname(path)) directories.push(path);
    if (created !== undefined) for (const path of directories) if (path.length >= created.length) entries.delete(path);
    await failpoint('artifacts.put.placing');
    await rename(from, to);
    await failpoint('artifacts.put.placed');
    // An entry is durable only with its directory; together they cost about one sync.
    await Promise.all([syncDirectory(dirname(to)), ...directories.map(syncEntry)]);
  };
};

/** Path of a key below the root. A key that leads out of it is a bug of its maker. */
const pathOf = (root: string, key: string): string => {
  const path = resolve(root, key);
  if (!path.startsWith(root + sep) || join(root, key) !== path)
    throw new TypeError(`a key leads out of the store: ${key}`);
  return path;
};

/** Paths of the files below a directory; none where there is no directory. */
async function* filesBelow(directory: string): AsyncGenerator<string> {
  const entries = await opendir(directory).catch(unlessMissing);
  if (!entries) return;
  for await (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

const factsOf = async (path: string) => {
  const facts = await lstat(path).catch(unlessMissing);
  return facts?.isFile() ? { sizeBytes: facts.size, modifiedAt: facts.mtime } : undefined;
};

/** Name of the file that says whose objects these are. */
const MARKER = '.landfall-store';

/** Writes a file whole unless it is there. @returns the text of the file */
const createOnce = async (path: string, text: string): Promise<string> => {
  const own = `${path}.${randomUUID()}`;
  await createDirectory(dirname(path));
  try {
    await writeFile(own, text, { flag: 'wx', flush: true, mode: 0o640 });
    await link(own, path).catch((error: unknown) => {
      if (systemErrorCodeOf(error) !== 'EEXIST') throw error;
    });
    await syncDirectory(dirname(path));
  } finally {
    await rm(own, { force: true });
  }
  return readFile(path, 'utf8');
};

/** Directories of a storage on disk, on one file system. */
interface DiskPlaces {
  /** Directory of the objects. */
  readonly objects: string;
  /** Directory of objects whose bytes changed. */
  readonly quarantine: string;
  /** Directory of objects that were discarded, by day. */
  readonly trash: string;
}

/** Creates the storage of objects as files below a directory. */
export const createDiskObjects = ({ objects, quarantine, trash }: DiskPlaces): ObjectStore => {
  const root = resolve(objects);
  const moveDurably = createDurableMove(root);
  const readSmall = createSmallFiles();
  const moveAway = async (key: string, target: string): Promise<void> => {
    await createDirectory(dirname(target));
    await rename(pathOf(root, key), target).catch(unlessMissing);
  };
  return {
    put: async (key, { path }) => moveDurably(path, pathOf(root, key)),

    async open(key, expectedBytes = Number.POSITIVE_INFINITY) {
      const path = pathOf(root, key);
      if (expectedBytes < CHUNK_BYTES) {
        const bytes = await readSmall(path, expectedBytes + 1).catch(unlessLink);
        return bytes && { sizeBytes: bytes.length, bytes: once(bytes) };
      }
      const facts = await factsOf(path);
      return facts && { sizeBytes: facts.sizeBytes, bytes: streamOf(path) };
    },

    stat: (key) => factsOf(pathOf(root, key)),

    quarantine: (key) => moveAway(key, pathOf(resolve(quarantine), `${key}.${randomUUID()}`)),

    discard: (key, day) => moveAway(key, pathOf(resolve(trash), `${dayOf(day)}/${key}.${randomUUID()}`)),

    async emptyTrash(before) {
      for (const name of (await readdir(trash).catch(unlessMissing)) ?? [])
        if (/^\d{4}-\d\d-\d\d$/.test(name) && name < dayOf(before))
          await rm(join(trash, name), { recursive: true, force: true });
    },

    async *list(folder) {
      for await (const path of filesBelow(pathOf(root, folder))) {
        const facts = await factsOf(path);
        if (facts) yield { key: relative(root, path).split(sep).join('/'), ...facts };
      }
    },

    bind: (identity) => createOnce(join(root, MARKER), identity),
  };
};
