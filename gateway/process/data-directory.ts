import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** Setting with the path of the data directory. */
export const DATA_SETTING = 'LANDFALL_DATA_DIR';

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : String(error);

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'it is on a file system that is read only',
  ENOTDIR: 'a part of the path is a file',
  ENOENT: 'no directory can be made there',
  ENOSPC: 'the disk is full',
};

const refusal = (path: string, reason: string): Error =>
  new Error(`${DATA_SETTING}: ${path} cannot hold the data: ${reason}; name a directory that this user may write to.`);

/** Lists the missing directories of `path`, the topmost first. Throws ENOTDIR when a file is in the way. */
const missingOf = async (path: string): Promise<readonly string[]> => {
  const found = await stat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (found?.isDirectory()) return [];
  if (found) throw Object.assign(new Error(path), { code: 'ENOTDIR' });
  return [...(await missingOf(dirname(path))), path];
};

/**
 * Creates the data directory level by level: Node's recursive mkdir never returns below /proc, where nothing can be
 * created.
 * @throws Error with the setting, the directory and the remedy
 */
export const makeDataDirectory = async (dataDir: string): Promise<void> => {
  const path = resolve(dataDir);
  try {
    for (const directory of await missingOf(path))
      await mkdir(directory).catch((error: unknown) => {
        // Another process of the product may have created it first.
        if (codeOf(error) !== 'EEXIST') throw error;
      });
    await access(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw refusal(path, REASONS[codeOf(error)] ?? codeOf(error));
  }
};

/** Directory of the embedded database. */
export const embeddedDirectory = (dataDir: string): string => join(dataDir, 'postgres');
