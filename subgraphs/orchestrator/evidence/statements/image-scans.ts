import { systemCaller } from '@landfall/kernel/core/caller';
import type { Worker } from '@landfall/kernel/core/worker';
import { parseDigest } from '@landfall/kernel/crypto/digest';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import * as releases from '../../catalogue/releases/release.ts';
import type { StatementOutbox } from './attestable-events.ts';
import * as store from './image-scans.store.ts';

const NAME = 'orchestrator.scans';
const BATCH = 32;
const LEASE_SECONDS = 30;
const POLL_MS = 5_000;

/** Creates the worker that states, for each release with an image, that a scan of the image was completed. */
export const createImageScans = (
  { database, hints, ids, log }: Pick<Deps, 'database' | 'hints' | 'ids' | 'log'>,
  outbox: Pick<StatementOutbox, 'scanned'>,
) => {
  const stateOne = async (scan: store.DueScan): Promise<void> => {
    const caller = systemCaller(scan.tenant, NAME, ids.uuid());
    await database.write(scan.tenant, async (tx) => {
      for (const release of await releases.listByDigest(tx, scan.tenant, parseDigest(scan.imageDigest)))
        await outbox.scanned(tx, caller, release);
      await store.settle(tx, scan);
    });
  };

  /** Takes over completed scans and states those that are due. @returns the number of images */
  const turn = async (): Promise<number> => {
    await database.system.write(store.follow);
    await failpoint('orchestrator.scans.followed');
    const due = await database.system.write((tx) => store.leaseDue(tx, BATCH, LEASE_SECONDS));
    for (const each of await Promise.allSettled(due.map(stateOne)))
      if (each.status === 'rejected') log.error({ err: each.reason }, NAME);
    return due.length;
  };

  const worker: Worker = pollingWorker({ name: NAME, pollMs: POLL_MS, hints: hints.of('Scan'), log, turn });
  return { turn, worker };
};
