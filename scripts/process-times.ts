// Loaded into every process of a test run: reports the processor time of the process and its children.
import { appendFileSync, readFileSync } from 'node:fs';
import { argv, env, resourceUsage } from 'node:process';

const TICKS_A_SECOND = 100;
/** Fields 16 and 17 of proc(5)'s stat, counted behind the program's name, which may have spaces. */
const CHILDREN = [13, 14] as const;

/** CPU seconds of a process's ended children; 0 where the system does not report them. */
export const childSeconds = (pid: number | 'self'): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return CHILDREN.reduce((sum, at) => sum + Number(fields[at]), 0) / TICKS_A_SECOND;
  } catch {
    return 0;
  }
};

/** Seconds of this process and of its ended children. */
const cpuMs = () => {
  const { userCPUTime, systemCPUTime } = resourceUsage();
  return { own: (userCPUTime + systemCPUTime) / 1e6, children: childSeconds('self') };
};

const report = env.LANDFALL_TEST_TIMES;
let reported = { own: 0, children: 0 };

/** Attributes the CPU time since the last report to a test file. */
export const reportTimes = (file: string | undefined): void => {
  if (report === undefined) return;
  const { own, children } = cpuMs();
  const line = { file, own: own - reported.own, children: children - reported.children };
  appendFileSync(report, `${JSON.stringify(line)}\n`);
  reported = { own, children };
};

process.on('exit', () => reportTimes(argv[1]));
