import type { Worker } from '@landfall/kernel/core/worker';
import type { Deps } from '@landfall/kernel/module';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import type { ObjectStore } from '../objects/object-store.ts';
import * as store from './object-protection.store.ts';

const BATCH = 100;
const POLL_MS = 5_000;

interface ProtectionDeps extends Pick<Deps, 'database' | 'hints' | 'log'> {
  readonly objects: ObjectStore;
  /** Setting `Artifacts:RetentionDays`. */
  readonly retentionDays: number;
}

/** Creates the worker that tells a bucket with Object Lock of retentions and holds; none for another storage. */
export const createObjectProtection = ({ database, hints, log, objects, retentionDays }: ProtectionDeps) => {
  const turn = async (): Promise<number> => {
    const due = await database.system.read((query) => store.listDue(query, retentionDays, BATCH));
    for (const artifact of due) {
      const { tenant, artifactId, storageKey } = artifact;
      try {
        await objects.protect?.(storageKey, artifact);
        await database.system.write((tx) => store.settle(tx, artifact));
      } catch (error) {
        log.error({ err: error, tenant, artifactId }, 'evidence that its bucket does not protect');
        await database.system.write((tx) => store.postpone(tx, artifact));
      }
    }
    return due.length;
  };
  const worker = pollingWorker({
    name: 'artifacts.protection',
    pollMs: POLL_MS,
    hints: hints.of('Artifact', 'EvidenceHold'),
    log,
    turn,
  });
  const workers: readonly Worker[] = objects.protect ? [worker] : [];
  return { turn, workers };
};
