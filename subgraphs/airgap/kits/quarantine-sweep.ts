import type { Deps } from '@landfall/kernel/module';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import { findAnyOpen } from './imports.store.ts';
import type { KitDirectories } from './inbox.ts';

const POLL_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Days after which the parts of a kit go whose import waits for others; media travel slowly. */
const WAITING_DAYS = 30;
/** Days after which the parts of a kit go that no import wants. */
const UNWANTED_DAYS = 1;

interface SweepDeps extends Pick<Deps, 'database' | 'clock' | 'log'> {
  readonly directories: KitDirectories;
}

/** Creates the worker that removes what imports left in the quarantine: those that ended, and those never finished. */
export const createQuarantineSweep = ({ database, clock, log, directories }: SweepDeps) => {
  const turn = async (): Promise<number> => {
    for (const { tenant, kitDigest, changedAt } of await directories.listQuarantined()) {
      const open = await database.read(tenant, (query) => findAnyOpen(query, tenant, kitDigest));
      const days = open ? WAITING_DAYS : UNWANTED_DAYS;
      const isOver = clock.now().getTime() - changedAt.getTime() > days * DAY_MS;
      // One that is queued or switched has a worker, now or soon.
      if (isOver && (!open || open.state === 'waiting')) await directories.quarantine(tenant, kitDigest).remove();
    }
    return 0;
  };
  return { turn, worker: pollingWorker({ name: 'airgap.quarantine', pollMs: POLL_MS, log, turn }) };
};
