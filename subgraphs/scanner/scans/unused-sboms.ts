import type { Deps } from '@landfall/kernel/module';
import type { Duty } from '@landfall/kernel/work/schedule';
import * as store from './sboms.store.ts';

/** Time after it was received in which a bill waits for the request of its scan. */
const UNUSED_MS = 86_400_000;
/** Bills of one transaction: each may have megabytes. */
const BATCH = 100;

/** Creates the hourly job that deletes bills without a scan: of a request that was refused, or of scans that are gone. */
export const unusedSbomDuty = ({ database, log }: Pick<Deps, 'database' | 'log'>): Duty => ({
  name: 'scanner.housekeeping',
  pattern: '47 * * * *',
  async run() {
    let deleted = 0;
    for (let batch = BATCH; batch === BATCH; deleted += batch)
      batch = await database.system.write((tx) => store.removeUnused(tx, UNUSED_MS, BATCH));
    if (deleted > 0) log.info({ deleted }, 'bills of materials without a scan');
  },
});
