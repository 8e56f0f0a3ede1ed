import { readFile, writeFile } from 'node:fs/promises';
import { type EntryName, packBundle } from '../score/bundle.ts';
import { readBundle } from '../score/read-bundle.ts';

/** Rewrites the file of a proof bundle with another text in one entry. */
export const changeEntry = async (path: string, name: EntryName, from: RegExp, to: string): Promise<void> => {
  const entries = await readBundle(await readFile(path));
  const text = entries[name].toString().replace(from, to);
  await writeFile(path, packBundle({ ...entries, [name]: Buffer.from(text) }));
};
