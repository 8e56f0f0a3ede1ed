// Loaded into every process of a test run: at its end it reports the processor time that it and its children took.
import { appendFileSync, readFileSync } from 'node:fs';
import { argv, env, resourceUsage } from 'node:process';

const TICKS_A_SECOND = 100;
/** Fields 16 and 17 of proc(5)'s stat, counted behind the program's name, which may have spaces. */
const CHILDREN = [13, 14] as const;

/** Seconds that the ended children of a process took; 0 where the system does not tell. */
export const childSeconds = (pid: number | 'self'): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return CHILDREN.reduce((sum, at) => sum + Number(fields[at]), 0) / TICKS_A_SECOND;
  } catch {
    return 0;
  }
};

const report = env.LANDFALL_TEST_TIMES;
if (report !== undefined)
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime } = resourceUsage();
    const own = (userCPUTime + systemCPUTime) / 1e6;
    appendFileSync(report, `${JSON.stringify({ file: argv[1], own, children: childSeconds('self') })}\n`);
  });
