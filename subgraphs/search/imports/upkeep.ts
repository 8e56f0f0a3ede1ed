import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import type { Duty } from '@landfall/kernel/work/schedule';
import * as store from './imports.store.ts';

/** Error text of an import whose process ended. */
const ABORTED = 'The process of the import ended. Documents that it had written stay.';

/** Ends imports of dead processes, prunes old rows, and calls `pruneUsage`, for synthesis, in the same transaction. */
export const importDuty = (
  { database, log }: Pick<Deps, 'database' | 'log'>,
  pruneUsage: (tx: Tx) => Promise<number>,
): Duty => ({
  name: 'search.imports',
  pattern: '*/5 * * * *',
  async run() {
    const [silent, pruned] = await database.system.write(
      async (tx) =>
        [await store.failStalledImports(tx, ABORTED), (await store.prune(tx)) + (await pruneUsage(tx))] as const,
    );
    if (silent + pruned > 0) log.info({ silent, pruned }, 'search imports');
  },
});
