import { readdir, readFile, readlink } from 'node:fs/promises';
import { systemCode } from '../protocol/failure.ts';
import { findMarked, type ProcessRef } from './process-reference.ts';

/** Addresses on which a request to 127.0.0.1 arrives, in the format of net/tcp and net/tcp6 (proc(5)). */
const addresses = new Set(['0100007F', '00000000', '0'.repeat(32), '0000000000000000FFFF00000100007F']);
const listening = '0A';

const isForbidden = (error: unknown): boolean => ['EACCES', 'EPERM'].includes(systemCode(error) ?? '');

/** Inodes of the sockets that listen on a port of this machine. */
const socketsOn = async (port: number): Promise<readonly string[]> => {
  const tables = ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => ''));
  return (await Promise.all(tables))
    .join('\n')
    .split('\n')
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      const [address = '', at = ''] = local.split(':');
      const isThere = state === listening && addresses.has(address) && Number.parseInt(at, 16) === port;
      return isThere && inode !== undefined ? [inode] : [];
    });
};

/** Inodes of the sockets that a process has open; empty for an ended one, undefined if access is denied. */
const socketsOf = async (pid: number): Promise<readonly string[] | undefined> => {
  const files = await readdir(`/proc/${pid}/fd`).catch((error: unknown) => (isForbidden(error) ? undefined : []));
  const links = files?.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => ''));
  return links && (await Promise.all(links)).flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
};

const descendantsOf = async (pid: number): Promise<readonly number[]> => {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const children = text
    .split(' ')
    .filter((name) => name !== '')
    .map(Number);
  return [...children, ...(await Promise.all(children.map(descendantsOf))).flat()];
};

/**
 * Checks whether this process, or one that it started, listens on a port of this machine. True also if that is unknown:
 * on a system without proc(5), or without access to the process.
 * @param mark environment variable and value that mark its child processes
 */
export const mayOwnPort = async (
  { pid }: ProcessRef,
  port: number,
  mark: Readonly<{ variable: string; value: string }>,
): Promise<boolean> => {
  const requested = await socketsOn(port);
  if (requested.length === 0) return true;
  const marked = (await findMarked(mark.variable)).filter(({ value }) => value === mark.value);
  const pids = new Set([pid, ...(await descendantsOf(pid)), ...marked.map((each) => each.pid)]);
  const open = await Promise.all([...pids].map(socketsOf));
  return open.includes(undefined) || requested.every((inode) => open.some((inodes) => inodes?.includes(inode)));
};
