import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { systemErrorCodeOf } from '../core/system-error-code.ts';

const run = promisify(execFile);

interface ProcessInfo {
  /** Identity that distinguishes two processes with the same pid. */
  readonly identity: string;
  /** The arguments, joined by spaces. */
  readonly command: string;
}

const quietly = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/** proc(5): the command name is in parentheses and may hold any character, so fields count from the last one. */
const fromProc = async (pid: number): Promise<ProcessInfo | undefined> => {
  const [stat, command, boot] = await Promise.all([
    quietly(`/proc/${pid}/stat`),
    quietly(`/proc/${pid}/cmdline`),
    quietly('/proc/sys/kernel/random/boot_id'),
  ]);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTicks = fields[19];
  if (startTicks === undefined || fields[0] === 'Z') return undefined;
  return { identity: `${boot.trim()} ${startTicks}`, command: command.replaceAll('\0', ' ').trim() };
};

/** ps(1): `lstart` is always 24 characters wide. */
const fromPs = async (pid: number): Promise<ProcessInfo | undefined> => {
  const { stdout } = await run('ps', ['-o', 'stat=,lstart=,args=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  const [, state, started, command] = /^(\S+)\s+(.{24})\s+(.*)$/m.exec(stdout.trim()) ?? [];
  if (!state || !started || state.startsWith('Z')) return undefined;
  return { identity: started, command: command ?? '' };
};

/** Information on a running process; undefined when the pid is free or a zombie. */
export const inspectProcess = (pid: number): Promise<ProcessInfo | undefined> =>
  process.platform === 'linux' ? fromProc(pid) : fromPs(pid);

/** Pid in a lock file whose process still runs. */
export const liveHolder = async (path: string): Promise<number | undefined> => {
  const [pid, identity] = (await quietly(path)).split('\n');
  const holder = await inspectProcess(Number(pid));
  return holder && holder.identity === identity ? Number(pid) : undefined;
};

const exists = (error: unknown): boolean => systemErrorCodeOf(error) === 'EEXIST';

/** Acquires a lock file for this process and returns its release. Throws if a live process holds the lock. */
export const lockFile = async (path: string): Promise<() => Promise<void>> => {
  const self = await inspectProcess(process.pid);
  const content = `${process.pid}\n${self?.identity ?? ''}\n`;
  for (;;) {
    try {
      await writeFile(path, content, { flag: 'wx', mode: 0o600 });
      return () => rm(path, { force: true });
    } catch (error) {
      if (!exists(error)) throw error;
      const holder = await liveHolder(path);
      if (holder !== undefined) throw new Error(`${dirname(path)} is in use by process ${holder}`);
      await rm(path, { force: true });
    }
  }
};
