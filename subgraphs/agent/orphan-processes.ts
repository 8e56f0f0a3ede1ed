import { join } from 'node:path';
import { findMarked, signal } from './driver/proc.ts';
import { runVariable } from './driver/process.ts';
import { readIfThere } from './state/atomic-file.ts';

/**
 * Kills whatever an agent that is gone has left running, for a host that is torn down: every process that bears the mark
 * of the agent with this state directory. Off Linux marks cannot be read, and nothing is found.
 * @returns how many there were
 */
export const killOrphans = async (state: string): Promise<number> => {
  const instance = await readIfThere(join(state, 'instance'));
  if (!instance) return 0;
  const left = (await findMarked(runVariable)).filter(({ value }) => value.startsWith(`${instance}/`));
  return left.filter(({ pid }) => signal(pid, 'SIGKILL', 'process')).length;
};
