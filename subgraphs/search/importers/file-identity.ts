import { readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { sha256Hex } from '@landfall/kernel/crypto/digest';

/** A working copy of a repository that has a remote. */
interface Checkout {
  readonly root: string;
  readonly remote: string;
}

/** A remote's host and path, however it is reached and by whom; of one without a host, nothing. */
const remoteOf = (url: string): string | undefined => {
  const [, host, path] =
    /^[a-z+]+:\/\/(?:[^@/]*@)?([^/]+)\/(.+)$/i.exec(url) ?? /^(?:[^@/:]+@)?([^:/]{2,}):(?!\/\/)(.+)$/.exec(url) ?? [];
  return host === undefined || path === undefined
    ? undefined
    : `${host.toLowerCase()}/${path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '')}`;
};

const originIn = (config: string): string | undefined => {
  const [, section = ''] = /^\s*\[remote "origin"\]([^[]*)/m.exec(config) ?? [];
  const [, url] = /^\s*url\s*=\s*(\S+)\s*$/m.exec(section) ?? [];
  return url === undefined ? undefined : remoteOf(url);
};

/**
 * Identifies files independently of the import's root: by remote and path in a repository, otherwise by absolute path.
 */
export const createFileIdentity = () => {
  const known = new Map<string, Promise<Checkout | undefined>>();
  const find = async (folder: string): Promise<Checkout | undefined> => {
    const above = dirname(folder);
    const git = await stat(join(folder, '.git')).catch(() => undefined);
    if (!git) return above === folder ? undefined : checkoutOf(above);
    const remote = originIn(await readFile(join(folder, '.git', 'config'), 'utf8').catch(() => ''));
    return remote === undefined ? undefined : { root: folder, remote };
  };
  const checkoutOf = (folder: string): Promise<Checkout | undefined> =>
    known.getOrInsertComputed(folder, () => find(folder));
  /** @param path without links */
  return async (path: string, inner?: string): Promise<string> => {
    const checkout = await checkoutOf(dirname(path));
    const origin = checkout ? [checkout.remote, relative(checkout.root, path).replaceAll(sep, '/')] : [path];
    return sha256Hex(JSON.stringify([...origin, ...(inner === undefined ? [] : ['!', inner])]));
  };
};

export type FileIdentity = ReturnType<typeof createFileIdentity>;
