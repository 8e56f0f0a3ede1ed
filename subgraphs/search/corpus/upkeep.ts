import type { Worker } from '@landfall/kernel/core/worker';
import type { Deps } from '@landfall/kernel/module';
import { createSchedule, type Duty } from '@landfall/kernel/work/schedule';
import * as imports from '../imports/imports.store.ts';
import { prune } from './changes.store.ts';

/** Error of an import whose process is gone. */
const SILENT = 'It was ended from outside; what it had written stays.';
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

/** Ends imports of dead processes and prunes old rows. */
export const ending = ({ database, log }: Pick<Deps, 'database' | 'log'>): Duty => ({
  name: 'search.imports',
  pattern: '*/5 * * * *',
  async run() {
    const [silent, pruned] = await database.system.write(
      async (tx) => [await imports.endSilent(tx, SILENT), await imports.prune(tx)] as const,
    );
    if (silent + pruned > 0) log.info({ silent, pruned }, 'search imports');
  },
});

export const createCorpusUpkeep = (deps: Pick<Deps, 'database' | 'log'>): Worker =>
  createSchedule(deps, 'search.upkeep', [pruning(deps), ending(deps)]);
