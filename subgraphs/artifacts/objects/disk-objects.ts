import { constants } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { systemErrorCodeOf } from '@landfall/kernel/core/system-error-code';
import { failpoint } from '@landfall/kernel/system/failpoint';
import type { ObjectStore } from './object-store.ts';

/** Bytes of one read. */
const CHUNK_BYTES = 256 * 1024;

const syncDirectory = async (path: string): Promise<void> => {
  await using directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  await directory.sync();
};

/** Creates a directory with its parents, each of them durable: a new entry is on the disk only with its directory. */
const createDirectory = async (path: string): Promise<void> => {
  const first = await mkdir(path, { recursive: true, mode: 0o750 });
  if (first === undefined) return;
  for (let created = path; created.length >= first.length; created = dirname(created))
    await syncDirectory(dirname(created));
};

/** Path of a key below the root. A key that leads out of it is a bug of its maker. */
const pathOf = (root: string, key: string): string => {
  const path = resolve(root, key);
  if (!path.startsWith(root + sep) || join(root, key) !== path)
    throw new TypeError(`a key leads out of the store: ${key}`);
  return path;
};

/** Creates the storage of objects as files below a directory. */
export const createDiskObjects = (directory: string): ObjectStore => {
  const root = resolve(directory);
  return {
    async put(key, { path }) {
      const target = pathOf(root, key);
      await createDirectory(dirname(target));
      await failpoint('artifacts.put.placing');
      await rename(path, target);
      await failpoint('artifacts.put.placed');
      await syncDirectory(dirname(target));
    },

    async open(key) {
      // A link or a pipe in place of an object is none of ours.
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      const file = await open(pathOf(root, key), flags).catch((error: unknown) => {
        if (['ENOENT', 'ELOOP', 'ENXIO'].includes(systemErrorCodeOf(error))) return undefined;
        throw error;
      });
      if (!file) return undefined;
      const facts = await file.stat();
      if (facts.isFile())
        return {
          sizeBytes: facts.size,
          bytes: file.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: true }),
        };
      await file.close();
      return undefined;
    },
  };
};
