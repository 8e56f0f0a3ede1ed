import type { Deps } from '@landfall/kernel/module';
import type { Duty } from '@landfall/kernel/work/schedule';
import { prune as pruneLogs } from './running/log/logs.ts';

interface HousekeepingSettings {
  /** Days for which a deployment's log is kept after its last line. */
  readonly deploymentLogDays: number;
}

/** Forgets, once an hour, what is kept for a while only. */
export const createHousekeeping = (
  { database, log }: Pick<Deps, 'database' | 'log'>,
  { deploymentLogDays }: HousekeepingSettings,
): Duty => ({
  name: 'orchestrator.housekeeping',
  pattern: '29 * * * *',
  async run() {
    const logs = await database.system.write((tx) => pruneLogs(tx, deploymentLogDays));
    log.info({ pruned: { logs } }, 'housekeeping');
  },
});
