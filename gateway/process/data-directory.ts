import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** Setting that names the data directory. */
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

/** Directories that are missing on the way to `path`, the topmost first. @throws where a file is in the way */
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
 * Makes the data directory, one level at a time: Node's own recursive mkdir never ends below /proc, where a directory
 * exists and nothing can be made in it.
 * @throws Error that names the setting, the directory and what to do
 */
export const makeDataDirectory = async (dataDir: string): Promise<void> => {
  const path = resolve(dataDir);
  try {
    for (const directory of await missingOf(path))
      await mkdir(directory).catch((error: unknown) => {
        // Another process of ours may have been faster.
        if (codeOf(error) !== 'EEXIST') throw error;
      });
    await access(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw refusal(path, REASONS[codeOf(error)] ?? codeOf(error));
  }
};

/** The embedded database's directory. */
export const embeddedDirectory = (dataDir: string): string => join(dataDir, 'postgres');
