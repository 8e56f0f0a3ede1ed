import { readdir, readFile } from 'node:fs/promises';

/** Process according to /proc (Linux only). */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

const read = async (pid: number): Promise<Process | undefined> => {
  const [stat, command = ''] = await Promise.all(
    ['stat', 'cmdline'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => undefined)),
  );
  // The name in parentheses may contain anything, so counting starts after it, at field 3.
  const parent = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
  return parent === undefined ? undefined : { pid, parent: Number(parent), command: command.replaceAll('\0', ' ') };
};

/** Lists a process and its descendants. */
export const treeOf = async (root: number): Promise<Process[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const all = (await Promise.all(pids.map(read))).filter((found) => found !== undefined);
  const below = (parents: readonly number[]): Process[] => {
    const children = all.filter(({ parent }) => parents.includes(parent));
    return children.length === 0 ? [] : [...children, ...below(children.map(({ pid }) => pid))];
  };
  return [...all.filter(({ pid }) => pid === root), ...below([root])];
};

/**
 * Processor time of a process and its threads in milliseconds: schedstat has nanoseconds, stat hundredths of a second.
 */
export const cpuOf = async (pid: number): Promise<number> => {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const times = await Promise.all(
    threads.map(async (thread) => {
      const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
      return Number(text.split(' ')[0]) / 1e6;
    }),
  );
  return times.reduce((sum, time) => sum + time, 0);
};

/** Tick of `/proc/<pid>/stat` in milliseconds: `sysconf(_SC_CLK_TCK)` is 100 on every Linux that Node supports. */
const TICK_MS = 10;

/**
 * Processor time of processes and of their ended children in milliseconds: utime, stime, cutime and cstime, so that
 * short-lived children count too.
 */
export const cpuTimeOf = async (pids: readonly number[]): Promise<number> => {
  const cpuMs = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      // After the name in parentheses counting starts at field 3; the four are fields 14 to 17.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0);
    }),
  );
  return cpuMs.reduce((sum, time) => sum + time, 0);
};

/** Resident memory of a process in bytes; undefined for an ended one. */
export const residentOf = async (pid: number): Promise<{ readonly rss: number; readonly pss: number }> => {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const bytes = (name: string): number => 1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
  return { rss: bytes('Rss'), pss: bytes('Pss') };
};
