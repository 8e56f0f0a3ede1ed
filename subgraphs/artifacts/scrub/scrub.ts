import { systemCaller } from '@landfall/kernel/core/caller';
import { type Digest, parseDigest } from '@landfall/kernel/crypto/digest';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import type { Duty } from '@landfall/kernel/work/schedule';
import type { ObjectStore, StoredObject } from '../objects/object-store.ts';
import { CorruptObject, verifiedBytes } from '../objects/verified-reading.ts';
import * as store from './scrub.store.ts';

const record = eventsOf('Artifact');

/** Objects of one look; the next look follows at once while any are due. */
const BATCH = 100;
/** Looks of one run, so that a run ends within its lease. */
const MOST_LOOKS = 50;
const DAY_MS = 86_400_000;
/** Age of an object without a row, before which its put may be under way. */
const ABANDONED_MS = 3_600_000;

interface ScrubDeps extends Pick<Deps, 'database' | 'clock' | 'ids' | 'log'> {
  readonly objects: ObjectStore;
  /** Setting `Artifacts:ScrubDays`. */
  readonly scrubDays: number;
}

/** Creates the duties that read objects again and remove those without a row. */
export const createScrub = ({ database, clock, ids, log, objects, scrubDays }: ScrubDeps) => {
  /** Why the bytes of an artifact are not the index's; undefined if they are. */
  const problemOf = async (
    { storageKey, sizeBytes }: store.DueArtifact,
    sha256: Digest,
  ): Promise<string | undefined> => {
    const object = await objects.open(storageKey);
    if (!object) return 'The object is missing.';
    try {
      for await (const _chunk of verifiedBytes(object, { sha256, sizeBytes }));
      return undefined;
    } catch (error) {
      if (error instanceof CorruptObject) return error.message;
      throw error;
    }
  };

  const check = async (due: store.DueArtifact): Promise<void> => {
    const { tenant, artifactId, storageKey, sha256 } = due;
    const problem = await problemOf(due, parseDigest(sha256));
    if (problem === undefined) {
      await database.write(tenant, (tx) => store.setChecked(tx, tenant, artifactId));
      return;
    }
    log.error({ tenant, artifactId, problem }, 'corrupt evidence');
    const caller = systemCaller(tenant, 'artifacts.scrub', ids.uuid());
    await database.write(tenant, async (tx) => {
      const marked = await store.setCorrupt(tx, tenant, artifactId);
      if (!marked) return;
      const event = { id: artifactId, version: marked.version };
      await record(tx, caller, 'artifact.corrupt', event, { problem, sha256, storageKey });
    });
    await objects.quarantine(storageKey);
  };

  /** Reads what is due. @returns the number of objects that were read */
  const scrub = async (): Promise<number> => {
    let read = 0;
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      const due = await database.system.read((query) => store.listDue(query, scrubDays * DAY_MS, BATCH));
      // One at a time: requests of people come first.
      for (const artifact of due) await check(artifact);
      read += due.length;
      if (due.length < BATCH) break;
    }
    return read;
  };

  const removeUnindexed = async (batch: readonly StoredObject[]): Promise<number> => {
    const indexed = await database.system.read((query) =>
      store.listIndexed(
        query,
        batch.map(({ key }) => key),
      ),
    );
    const abandoned = batch.filter(({ key }) => !indexed.has(key));
    for (const { key } of abandoned) await objects.remove(key);
    return abandoned.length;
  };

  /** Removes objects that no row has, an hour after they were put. @returns their number */
  const sweep = async (): Promise<number> => {
    let removed = 0;
    let batch: StoredObject[] = [];
    const before = clock.now().getTime() - ABANDONED_MS;
    for await (const object of objects.list()) {
      if (object.modifiedAt.getTime() < before) batch.push(object);
      if (batch.length < BATCH) continue;
      removed += await removeUnindexed(batch);
      batch = [];
    }
    if (batch.length > 0) removed += await removeUnindexed(batch);
    if (removed > 0) log.info({ removed }, 'objects without a row');
    return removed;
  };

  const duties: readonly Duty[] = [
    { name: 'artifacts.scrub', pattern: '*/10 * * * *', run: async () => void (await scrub()) },
    { name: 'artifacts.sweep', pattern: '23 * * * *', run: async () => void (await sweep()) },
  ];
  return { scrub, sweep, duties };
};
