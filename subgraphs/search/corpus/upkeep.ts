import type { Deps, Worker } from '@landfall/kernel/module';
import { createSchedule, type Duty } from '@landfall/kernel/schedule';
import { prune } from './changes.store.ts';

/** Tombstones of one transaction. */
const BATCH = 5_000;

/** Throws away, once an hour, what was removed more than seven days ago: every index has followed long since. */
export const pruning = ({ database, log }: Pick<Deps, 'database' | 'log'>): Duty => ({
  name: 'search.tombstones',
  pattern: '41 * * * *',
  async run() {
    let pruned = 0;
    for (let last = BATCH; last === BATCH; pruned += last) last = await database.system.write((tx) => prune(tx, BATCH));
    log.info({ pruned }, 'search tombstones');
  },
});

export const createCorpusUpkeep = (deps: Pick<Deps, 'database' | 'log'>): Worker =>
  createSchedule(deps, 'search.tombstones', [pruning(deps)]);
