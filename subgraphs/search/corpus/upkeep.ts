import type { Deps } from '@landfall/kernel/module';
import type { Duty } from '@landfall/kernel/work/schedule';
import { prune } from './chunk-changes.store.ts';

/** Tombstones of one transaction. */
const BATCH = 5_000;

/** Prunes tombstones of more than seven days hourly; every index has followed them by then. */
export const tombstoneDuty = ({ database, log }: Pick<Deps, 'database' | 'log'>): Duty => ({
  name: 'search.tombstones',
  pattern: '41 * * * *',
  async run() {
    let pruned = 0;
    for (let last = BATCH; last === BATCH; pruned += last) last = await database.system.write((tx) => prune(tx, BATCH));
    log.info({ pruned }, 'search tombstones');
  },
});
