import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Public test data beside the repository, which is not copied into it. */
const DIRECTORY = join(import.meta.dirname, '../../../../../shared/data');

const BLOCK = 512;

const textOf = (bytes: Buffer): string => bytes.toString('latin1').replace(/\0.*$/s, '');

/** Text files of an archive `<name>.tar.gz` by their path; undefined where the archive is absent. */
export const readPublicData = (name: string): ReadonlyMap<string, string> | undefined => {
  const path = join(DIRECTORY, `${name}.tar.gz`);
  if (!existsSync(path)) return undefined;
  const archive = gunzipSync(readFileSync(path));
  const files = new Map<string, string>();
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const entry = textOf(archive.subarray(at, at + 100));
    if (entry === '') break;
    const size = Number.parseInt(textOf(archive.subarray(at + 124, at + 136)), 8);
    files.set(entry, archive.toString('utf8', at + BLOCK, at + BLOCK + size));
    at += BLOCK * (1 + Math.ceil(size / BLOCK));
  }
  return files;
};
