import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { systemCode } from '../protocol/failure.ts';

/**
 * Reference to a process by pid and start time, which together are unique (proc(5), field 22 of stat): pids are reused.
 */
export type ProcessRef = Readonly<{ pid: number; startedAt: string | null }>;

const hasProc = process.platform === 'linux';

/** Reads state and start time of a process; undefined if it has ended. */
const statOf = async (pid: number): Promise<Readonly<{ state: string; startedAt: string }> | undefined> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The second field is a name in parentheses that may contain anything, so counting starts after it.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, startedAt] = [fields?.[0], fields?.[19]];
  return state === undefined || startedAt === undefined ? undefined : { state, startedAt };
};

/** Returns the reference of the process that has this pid at present. */
export const processReferenceOf = async (pid: number): Promise<ProcessRef> => ({
  pid,
  startedAt: hasProc ? ((await statOf(pid))?.startedAt ?? null) : null,
});

/** Checks whether exactly this process runs; a zombie does not. */
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

/** Reason why a process is not identified: its working directory was replaced by another one of the same name. */
export const replacedTree = 'the directory it runs in was replaced';

const isSameDirectory = async (a: string, b: string): Promise<boolean> => {
  const [one, other] = await Promise.all([a, b].map((path) => stat(path, { bigint: true }).catch(() => undefined)));
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
};

/** Reads the working directory of a live process, or why it is unknown. */
export const directoryOf = async (ref: ProcessRef): Promise<Readonly<{ path: string } | { reason: string }>> => {
  if (!hasProc) return { reason: `no process file system on ${process.platform}` };
  const path = await readlink(`/proc/${ref.pid}/cwd`).catch(() => undefined);
  const isThere = path !== undefined && (await isSameDirectory(`/proc/${ref.pid}/cwd`, path));
  // Read again afterwards: the pid could belong to another process meanwhile.
  if (path === undefined || !(await isAlive(ref))) return { reason: 'the process is gone' };
  return isThere ? { path } : { reason: replacedTree };
};

/** Lists every process whose environment has this variable, with the variable's value. */
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

/** Sends a signal to a process or its group; false if it does not exist. */
export const signal = (pid: number, name: 'SIGTERM' | 'SIGKILL', scope: 'process' | 'group'): boolean => {
  try {
    return process.kill(scope === 'group' ? -pid : pid, name);
  } catch (error) {
    if (systemCode(error) === 'ESRCH') return false;
    throw error;
  }
};
