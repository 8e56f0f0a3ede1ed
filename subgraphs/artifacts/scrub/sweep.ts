import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { artifactIdOfKey, objectFolder } from '../objects/object-key.ts';
import { lockObject } from '../objects/object-lock.ts';
import { type ObjectMove, objectMoves } from '../objects/object-moves.ts';
import type { ObjectStore, StoredObject } from '../objects/object-store.ts';
import type { Staging } from '../objects/staging.ts';
import { inBatches } from '../shared/batches.ts';
import type { ArtifactId } from '../shared/identity.ts';
import * as store from './scrub.store.ts';

/** Objects of one list. */
const BATCH = 100;
/** Age of an object without a row, before which its put may be under way. */
const ABANDONED_MS = 3_600_000;
const TRASH_MS = 7 * 86_400_000;
/** Objects that one run discards at most; the next run goes on. */
const MOST_DISCARDED = 10_000;
/** Objects that neither a row nor a disposal explains, above which nothing is discarded: also a tenth of all. */
const MOST_UNKNOWN = 10;

interface SweepDeps extends Pick<Deps, 'database' | 'clock' | 'log'> {
  readonly objects: ObjectStore;
  readonly staging: Pick<Staging, 'sweep'>;
  /** Setting `Artifacts:Prefix`, without slashes at its ends. */
  readonly prefix: string;
}

/** Creates the sweeper, which discards the objects that no row of this database has. */
export const createSweep = ({ database, clock, log, objects, staging, prefix }: SweepDeps) => {
  const folder = objectFolder(prefix);
  const isOld = ({ modifiedAt }: Pick<StoredObject, 'modifiedAt'>): boolean =>
    modifiedAt.getTime() < clock.now().getTime() - ABANDONED_MS;

  async function* own(): AsyncGenerator<StoredObject & { readonly artifactId: ArtifactId }> {
    for await (const object of objects.list(folder)) {
      const artifactId = artifactIdOfKey(folder, object.key);
      if (artifactId !== undefined) yield { ...object, artifactId };
    }
  }

  /** Old objects without a row, up to what a run discards, with the numbers that say whether that can be right. */
  const listAbandoned = async () => {
    const abandoned: store.UnindexedObject[] = [];
    let [total, unknown] = [0, 0];
    for await (const batch of inBatches(own(), BATCH)) {
      total += batch.length;
      const old = batch.filter(isOld);
      for (const object of await database.system.read((query) => store.listUnindexed(query, old))) {
        if (!object.isDisposed) unknown += 1;
        if (abandoned.length < MOST_DISCARDED) abandoned.push(object);
      }
    }
    return { abandoned, total, unknown };
  };

  const finish = async (move: ObjectMove): Promise<void> => {
    await failpoint('artifacts.sweep.moving');
    if (move.purpose === 'discard') await objects.discard(move.storageKey, clock.now());
    else await objects.quarantine(move.storageKey);
    await database.system.write((tx) => objectMoves.end(tx, move));
  };

  /** Finishes a move whose process was killed, unless it ended since it was listed: a put may have made the object whole. */
  const resume = async (unended: ObjectMove): Promise<void> => {
    const move = await database.system.write(async (tx) => {
      await lockObject(tx, unended.storageKey);
      return objectMoves.resume(tx, unended);
    });
    if (move) await finish(move);
  };

  /** Discards an object unless it was put again, or entered the index, since it was listed. */
  const discard = async (object: Pick<ObjectMove, 'storageKey' | 'artifactId'>): Promise<boolean> => {
    const { storageKey, artifactId } = object;
    const facts = await objects.stat(storageKey);
    if (facts && !isOld(facts)) return false;
    const move = await database.system.write(async (tx) => {
      await lockObject(tx, storageKey);
      const isGone = !facts || (await store.isIndexed(tx, storageKey));
      const begun = isGone ? undefined : await objectMoves.begin(tx, { artifactId, storageKey, purpose: 'discard' });
      if (isGone || begun) await store.removeDisposed(tx, storageKey);
      return begun;
    });
    if (move) await finish(move);
    return move !== undefined;
  };

  /** Discards objects that no row has, an hour after they were put, and empties the trash after 7 days. @returns their number */
  return async (): Promise<number> => {
    await staging.sweep(new Date(clock.now().getTime() - ABANDONED_MS));
    const { id } = await database.system.read(store.getIdentity);
    const bound = await objects.bind(id);
    if (bound !== id) {
      log.error({ database: id, directory: bound }, 'the directory of evidence belongs to another database: no sweep');
      return 0;
    }
    for (const unended of await database.system.read((query) => objectMoves.listUnended(query, MOST_DISCARDED)))
      await resume(unended);
    let removed = 0;
    for (const disposed of await database.system.read((query) => store.listDisposed(query, MOST_DISCARDED)))
      if (await discard(disposed)) removed += 1;
    const { abandoned, total, unknown } = await listAbandoned();
    if (unknown > MOST_UNKNOWN && unknown * 10 > total) {
      log.error({ total, unknown }, 'too many objects of evidence have no row: no sweep');
      return removed;
    }
    for (const object of abandoned) if (await discard(object)) removed += 1;
    if (removed > 0) log.info({ removed }, 'objects without a row');
    await objects.emptyTrash(new Date(clock.now().getTime() - TRASH_MS));
    await database.system.write((tx) => objectMoves.removeEnded(tx, TRASH_MS));
    return removed;
  };
};
