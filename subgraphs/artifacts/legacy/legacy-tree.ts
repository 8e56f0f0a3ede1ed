import { isUtf8 } from 'node:buffer';
import { constants, type Dirent } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { systemErrorCodeOf } from '@landfall/kernel/core/system-error-code';

/** File of a legacy tree, or something else in it with the reason why it is no record. */
export interface LegacyEntry {
  /** Path below the root as bytes, which are no text of any encoding. */
  readonly path: Buffer;
  /** Complete path. */
  readonly file: Buffer;
  readonly problem?: string;
}

const SLASH = Buffer.from('/');

const joined = (...parts: readonly Buffer[]): Buffer =>
  Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [SLASH, part])));

const NAMED = /^[\w.~-]$/;

/** Escapes a path byte by byte, as a package URL has it. */
export const escapePath = (path: Buffer): string =>
  [...path]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return NAMED.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');

/** Path for people and reports, each its own: one with bytes that do not show is escaped as in a package URL. */
export const shownPath = (path: Buffer): string => {
  const text = path.toString('utf8');
  const isPlain = isUtf8(path) && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}%]/u.test(text);
  return isPlain ? text : escapePath(path).replaceAll('%2F', '/');
};

/** Sorts entries as their whole paths sort: a directory by its name with a slash. */
const sortKey = (entry: Dirent<Buffer>): Buffer =>
  entry.isDirectory() ? joined(entry.name, Buffer.alloc(0)) : entry.name;

/** Reason of a failed reading, in a word or two. */
export const reasonOf = (error: unknown): string =>
  systemErrorCodeOf(error) || (error instanceof Error ? error.message : String(error));

/** Reads the entries below a directory in the order of their paths. It follows no link. */
export async function* walkTree(root: Buffer, below: readonly Buffer[] = []): AsyncGenerator<LegacyEntry> {
  const directory = joined(root, ...below);
  const whole = (name: Buffer) => joined(...below, name);
  let entries: Dirent<Buffer>[];
  try {
    if (!(await realpath(directory, 'buffer')).equals(directory)) throw new Error('it leads elsewhere');
    entries = await readdir(directory, { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    yield { path: joined(...below), file: directory, problem: `The directory cannot be read (${reasonOf(error)}).` };
    return;
  }
  for (const entry of entries.sort((a, b) => Buffer.compare(sortKey(a), sortKey(b)))) {
    const found = { path: whole(entry.name), file: joined(directory, entry.name) };
    if (entry.isDirectory()) yield* walkTree(root, [...below, entry.name]);
    else if (entry.isFile()) yield found;
    else yield { ...found, problem: entry.isSymbolicLink() ? 'It is a link.' : 'It is no regular file.' };
  }
}

/** Opens a regular file that is no link. */
export const openLegacy = async (file: Buffer) => {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new Error('it is no regular file any more');
};
