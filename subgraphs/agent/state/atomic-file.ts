import { open, readFile, rename, unlink } from 'node:fs/promises';
import { systemCode } from '../protocol/failure.ts';

/** Path of the temporary file. It is the same for every write, so that the next write replaces what a crash left. */
const temporaryOf = (path: string): string => `${path}.tmp`;

/** Durability of a write: `durable` survives a power failure, `process` only the end of the writer. */
type Durability = 'durable' | 'process';

/** Replaces a file by one rename, so a reader sees the old or the new text. Writers of a path must not overlap. */
export const writeAtomic = async (path: string, text: string, durability: Durability = 'durable'): Promise<void> => {
  const temporary = temporaryOf(path);
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(text);
    if (durability === 'durable') await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
};

const unlessMissing = (error: unknown): undefined => {
  if (systemCode(error) === 'ENOENT') return undefined;
  throw error;
};

/** Reads a file; undefined if there is none. */
export const readIfThere = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(unlessMissing);

/** Removes a file and the remains of an interrupted write. */
export const removeIfThere = async (path: string): Promise<void> => {
  await unlink(path).catch(unlessMissing);
  await unlink(temporaryOf(path)).catch(unlessMissing);
};
