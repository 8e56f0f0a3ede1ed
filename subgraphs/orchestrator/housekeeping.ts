import type { Deps } from '@landfall/kernel/module';
import type { Duty } from '@landfall/kernel/work/schedule';
import { pruneCommits } from './comparison/commits.ts';
import { pruneCandidates } from './deciding/sources/source.ts';
import { prune as pruneLogs } from './running/log/logs.ts';

interface HousekeepingSettings {
  /** Retention of a deployment's log after its last line, in days. */
  readonly deploymentLogDays: number;
}

/** Creates the hourly job that deletes rows past their retention. */
export const createHousekeeping = (
  { database, log }: Pick<Deps, 'database' | 'log'>,
  { deploymentLogDays }: HousekeepingSettings,
): Duty => ({
  name: 'orchestrator.housekeeping',
  pattern: '29 * * * *',
  async run() {
    const logs = await database.system.write((tx) => pruneLogs(tx, deploymentLogDays));
    const commits = await database.system.write(pruneCommits);
    const candidates = await database.system.write(pruneCandidates);
    log.info({ pruned: { logs, commits, candidates } }, 'housekeeping');
  },
});
