import { randomUUID } from 'node:crypto';
import { type FileHandle, lstat, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCodeOf } from '@landfall/kernel/core/system-error-code';
import { createDigester } from '@landfall/kernel/crypto/digest';
import { BodyTooLarge } from '@landfall/kernel/routes/refusal';
import { failpoint } from '@landfall/kernel/system/failpoint';
import type { StagedFile } from './object-store.ts';

/** Largest content that is kept in memory as well, in bytes. */
const MAX_KEPT_BYTES = 262_144;

/** Staged file whose bytes may not be on the disk yet. */
export interface SyncingFile extends StagedFile {
  /** Content of a small file, which its reader need not open again. */
  readonly bytes: Buffer | undefined;
  /** Ends when they are; before that the file must not be put. Rejects if they cannot be. */
  readonly synced: Promise<void>;
}

/** Creates the directory in which bytes wait until they are put: on the disk of the objects, so that a rename moves them. */
export const createStaging = (directory: string, maxBytes: number) => {
  /** Removes a staged file that is not put. */
  const discard = ({ path }: Pick<StagedFile, 'path'>): Promise<void> => rm(path, { force: true });

  const sync = async (file: FileHandle): Promise<void> => {
    await using synced = file;
    await synced.sync();
    await failpoint('artifacts.put.staged');
  };

  const create = async (path: string): Promise<FileHandle> => {
    try {
      return await open(path, 'wx', 0o640);
    } catch (error) {
      if (systemErrorCodeOf(error) !== 'ENOENT') throw error;
      await mkdir(directory, { recursive: true, mode: 0o750 });
      return open(path, 'wx', 0o640);
    }
  };

  /**
   * Writes a stream to a file and hashes it meanwhile. The file is then synced while its content is read.
   * @throws BodyTooLarge
   */
  const stage = async (chunks: AsyncIterable<Uint8Array>): Promise<SyncingFile> => {
    const path = join(directory, randomUUID());
    const digester = createDigester();
    const kept: Uint8Array[] = [];
    let sizeBytes = 0;
    const file = await create(path);
    try {
      for await (const chunk of chunks) {
        sizeBytes += chunk.length;
        if (sizeBytes > maxBytes) throw new BodyTooLarge(`The artifact is larger than ${maxBytes} bytes.`);
        digester.add(chunk);
        if (sizeBytes <= MAX_KEPT_BYTES) kept.push(chunk);
        await file.writeFile(chunk);
        await failpoint('artifacts.put.writing');
      }
    } catch (error) {
      await file.close();
      await discard({ path });
      throw error;
    }
    const synced = sync(file);
    // A failure is thrown to the one who puts the file; a file that is discarded has none.
    synced.catch(() => undefined);
    const bytes = sizeBytes <= MAX_KEPT_BYTES ? Buffer.concat(kept, sizeBytes) : undefined;
    return { path, sha256: digester.digest(), sizeBytes, synced, bytes };
  };

  /** Removes what nobody writes to since a time: its process was killed. */
  const sweep = async (before: Date): Promise<void> => {
    for (const name of await readdir(directory).catch(() => [])) {
      const facts = await lstat(join(directory, name)).catch(() => undefined);
      if (facts?.isFile() && facts.mtime < before) await discard({ path: join(directory, name) });
    }
  };

  return { directory, stage, discard, sweep };
};

export type Staging = ReturnType<typeof createStaging>;
