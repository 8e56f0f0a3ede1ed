import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';

/** File of an image's tree, recorded when the tree is unpacked and compared with the disk later. */
const treeFile = Type.Object({
  path: Type.String(),
  kind: Type.Enum(['file', 'directory', 'link']),
  mode: Type.Integer(),
  /** SHA-256 of a file's bytes, or a link's target; empty for a directory. */
  content: Type.String(),
});

type TreeFile = Static<typeof treeFile>;

export const treeShape = Compile(Type.Array(treeFile));

const hashFile = async (path: string): Promise<string> => {
  const hasher = createHash('sha256');
  await pipeline(createReadStream(path), hasher);
  return hasher.digest('hex');
};

/**
 * Lists every path under `root`, relative to it, in the same order on every machine. Links are listed, not followed.
 */
export const setFocused = async (root: string, under = ''): Promise<readonly string[]> => {
  const entries = await readdir(join(root, under), { withFileTypes: true });
  const paths: string[] = [];
  for (const entry of entries) {
    const path = join(under, entry.name);
    paths.push(path);
    if (entry.isDirectory()) paths.push(...(await setFocused(root, path)));
  }
  return under === '' ? paths.sort() : paths;
};

const describe = async (root: string, path: string): Promise<TreeFile> => {
  const full = join(root, path);
  const stat = await lstat(full);
  const mode = stat.mode & 0o777;
  if (stat.isSymbolicLink()) return { path, kind: 'link', mode: 0, content: await readlink(full) };
  if (stat.isDirectory()) return { path, kind: 'directory', mode, content: '' };
  return { path, kind: 'file', mode, content: stat.isFile() ? await hashFile(full) : '' };
};

export const listTree = async (root: string): Promise<readonly TreeFile[]> => {
  const files: TreeFile[] = [];
  for (const path of await setFocused(root)) files.push(await describe(root, path));
  return files;
};

/** Finds the first recorded file that is missing or changed; undefined if all are intact. Added files do not count. */
export const firstDifference = async (root: string, recorded: readonly TreeFile[]): Promise<string | undefined> => {
  for (const file of recorded) {
    const actual = await describe(root, file.path).catch(() => undefined);
    const isSame = actual?.kind === file.kind && actual.mode === file.mode && actual.content === file.content;
    if (!isSame) return file.path;
  }
  return undefined;
};

/** Fingerprint of inode, mode, size and change time of recorded files: cheap evidence that nothing changed. */
export const fingerprint = async (root: string, recorded: readonly TreeFile[]): Promise<string> => {
  const hasher = createHash('sha256');
  for (const { path } of recorded) {
    const stat = await lstat(join(root, path), { bigint: true }).catch(() => undefined);
    // A directory's own times change when the process adds files, which does not change the image.
    const times = stat?.isDirectory() ? '' : `${stat?.size} ${stat?.ctimeNs}`;
    hasher.update(`${path}\0${stat?.ino} ${stat?.mode} ${times}\n`);
  }
  return hasher.digest('hex');
};
