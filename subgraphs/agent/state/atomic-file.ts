import { open, readFile, rename, unlink } from 'node:fs/promises';
import { systemCode } from '../protocol/failure.ts';

/** One name for every try, so that a crash between write and rename leaves nothing that the next write does not take. */
const temporaryOf = (path: string): string => `${path}.tmp`;

/** `durable` survives a power cut, at the price of waiting for the disk; without it a file survives the writer's death. */
type Keeping = 'durable' | 'process';

/**
 * Replaces a file by one rename: a reader sees the old text or the new. Writers of one path take turns; that is theirs to
 * see to.
 */
export const writeAtomic = async (path: string, text: string, keeping: Keeping = 'durable'): Promise<void> => {
  const temporary = temporaryOf(path);
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(text);
    if (keeping === 'durable') await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
};

const unlessMissing = (error: unknown): undefined => {
  if (systemCode(error) === 'ENOENT') return undefined;
  throw error;
};

/** A file's text, or undefined where there is none. */
export const readIfThere = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(unlessMissing);

/** Removes a file, and what an interrupted write of it left. */
export const removeIfThere = async (path: string): Promise<void> => {
  await unlink(path).catch(unlessMissing);
  await unlink(temporaryOf(path)).catch(unlessMissing);
};
