import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Public test data beside the repository, which is not copied into it. */
const DIRECTORY = join(import.meta.dirname, '../../../../shared/data');

const BLOCK = 512;

/** Position of an entry's type, and the type of its extended header. */
const [TYPE, PAX] = [156, 'x'.charCodeAt(0)];

const textOf = (bytes: Buffer): string => bytes.toString('latin1').replace(/\0.*$/s, '');

/** Text files of an archive `<name>.tar.gz` by their path; undefined where the archive is absent. */
export const readPublicData = (name: string): ReadonlyMap<string, string> | undefined => {
  const path = join(DIRECTORY, `${name}.tar.gz`);
  if (!existsSync(path)) return undefined;
  const archive = gunzipSync(readFileSync(path));
  const files = new Map<string, string>();
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const entry = textOf(archive.subarray(at, at + 100));
    if (entry === '') break;
    const size = Number.parseInt(textOf(archive.subarray(at + 124, at + 136)), 8);
    const content = archive.toString('utf8', at + BLOCK, at + BLOCK + size);
    // A name over 100 characters stands in an entry of its own before its file (POSIX pax).
    if (archive[at + TYPE] === PAX) longName = /^\d+ path=(.*)$/m.exec(content)?.[1];
    else {
      files.set(longName ?? entry, content);
      longName = undefined;
    }
    at += BLOCK * (1 + Math.ceil(size / BLOCK));
  }
  return files;
};
