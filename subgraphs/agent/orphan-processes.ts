import { join } from 'node:path';
import { runVariable } from './driver/process-driver.ts';
import { findMarked, signal } from './driver/process-reference.ts';
import { readIfThere } from './state/atomic-file.ts';

/** Kills the processes with the mark of the agent with this state directory (Linux only); returns their number. */
export const killOrphans = async (state: string): Promise<number> => {
  const instance = await readIfThere(join(state, 'instance'));
  if (!instance) return 0;
  const remaining = (await findMarked(runVariable)).filter(({ value }) => value.startsWith(`${instance}/`));
  return remaining.filter(({ pid }) => signal(pid, 'SIGKILL', 'process')).length;
};
