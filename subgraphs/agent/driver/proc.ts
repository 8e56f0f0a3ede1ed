import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { systemCode } from '../protocol/failure.ts';

/**
 * Processes as the kernel knows them. A pid alone says nothing, since it is used again; with its start time it names one
 * process for ever (proc(5), field 22 of stat).
 */
export type ProcessRef = Readonly<{ pid: number; startedAt: string | null }>;

const hasProc = process.platform === 'linux';

/** State and start time of a process; undefined where it is gone. */
const statOf = async (pid: number): Promise<Readonly<{ state: string; startedAt: string }> | undefined> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The second field is a name in parentheses that may hold anything, so counting starts behind it.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, startedAt] = [fields?.[0], fields?.[19]];
  return state === undefined || startedAt === undefined ? undefined : { state, startedAt };
};

/** The process that has this pid at the moment. */
export const refOf = async (pid: number): Promise<ProcessRef> => ({
  pid,
  startedAt: hasProc ? ((await statOf(pid))?.startedAt ?? null) : null,
});

/** Whether exactly this process still runs; one that waits to be reaped does not. */
export const isAlive = async ({ pid, startedAt }: ProcessRef): Promise<boolean> => {
  if (hasProc) {
    const stat = await statOf(pid);
    return stat !== undefined && stat.startedAt === startedAt && stat.state !== 'Z';
  }
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
};

/** Why a process cannot be told by its directory: another one stands under that name since. */
export const replacedTree = 'the directory it runs in was replaced';

const isSamePlace = async (a: string, b: string): Promise<boolean> => {
  const [one, other] = await Promise.all([a, b].map((path) => stat(path, { bigint: true }).catch(() => undefined)));
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
};

/** The working directory of a live process, or why it cannot be known. */
export const directoryOf = async (ref: ProcessRef): Promise<Readonly<{ path: string } | { reason: string }>> => {
  if (!hasProc) return { reason: `no process file system on ${process.platform}` };
  const path = await readlink(`/proc/${ref.pid}/cwd`).catch(() => undefined);
  const isThere = path !== undefined && (await isSamePlace(`/proc/${ref.pid}/cwd`, path));
  // Asked again afterwards: between the looks the pid could have become another process.
  if (path === undefined || !(await isAlive(ref))) return { reason: 'the process is gone' };
  return isThere ? { path } : { reason: replacedTree };
};

/** Every process whose environment holds this variable, with the variable's value. */
export const findMarked = async (variable: string): Promise<readonly Readonly<{ pid: number; value: string }>[]> => {
  if (!hasProc) return [];
  const marked: { pid: number; value: string }[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    const found = environment.split('\0').find((line) => line.startsWith(`${variable}=`));
    if (found) marked.push({ pid: Number(name), value: found.slice(variable.length + 1) });
  }
  return marked;
};

/** Signals a process, or its whole group, and says whether there was one. */
export const signal = (pid: number, name: 'SIGTERM' | 'SIGKILL', scope: 'process' | 'group'): boolean => {
  try {
    return process.kill(scope === 'group' ? -pid : pid, name);
  } catch (error) {
    if (systemCode(error) === 'ESRCH') return false;
    throw error;
  }
};
