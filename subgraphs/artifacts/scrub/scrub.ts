import { systemCaller } from '@landfall/kernel/core/caller';
import type { JsonObject } from '@landfall/kernel/core/json';
import { systemErrorCodeOf } from '@landfall/kernel/core/system-error-code';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import type { Duty } from '@landfall/kernel/work/schedule';
import { lockObject } from '../objects/object-lock.ts';
import { objectMoves } from '../objects/object-moves.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { Staging } from '../objects/staging.ts';
import { CorruptObject, verifiedBytes } from '../objects/verified-reading.ts';
import * as store from './scrub.store.ts';
import { createSweep } from './sweep.ts';

const record = eventsOf('Artifact');

/** Objects of one batch; the next batch follows at once while any are due. */
const BATCH = 100;
/** Batches of one run, so that a run ends within its lease. */
const MOST_BATCHES = 50;
const DAY_MS = 86_400_000;

interface ScrubDeps extends Pick<Deps, 'database' | 'clock' | 'ids' | 'log'> {
  readonly objects: ObjectStore;
  readonly staging: Pick<Staging, 'sweep'>;
  /** Setting `Artifacts:Prefix`, without slashes at its ends. */
  readonly prefix: string;
  /** Setting `Artifacts:ScrubDays`. */
  readonly scrubDays: number;
}

/** Creates the duties that read objects again and remove those without a row. */
export const createScrub = ({ database, clock, ids, log, objects, staging, prefix, scrubDays }: ScrubDeps) => {
  /** Why the bytes of an artifact are not the index's; undefined if they are. */
  const problemOf = async (due: store.DueArtifact): Promise<string | undefined> => {
    const object = await objects.open(due.storageKey);
    if (!object) return 'The object is missing.';
    try {
      for await (const _chunk of verifiedBytes(object, due));
      return undefined;
    } catch (error) {
      if (error instanceof CorruptObject) return error.message;
      throw error;
    }
  };

  /** Moves the object of a corrupt artifact away, unless a put made it whole meanwhile. */
  const quarantine = async (unmoved: Awaited<ReturnType<typeof store.listUnmoved>>[number]): Promise<void> => {
    const move = await database.system.write(async (tx) => {
      await lockObject(tx, unmoved.storageKey);
      if (!(await store.isUnmoved(tx, unmoved))) return undefined;
      return objectMoves.begin(tx, { ...unmoved, purpose: 'quarantine' });
    });
    if (!move) return;
    await objects.quarantine(move.storageKey);
    await database.system.write(async (tx) => {
      await store.setQuarantined(tx, unmoved);
      await objectMoves.end(tx, move);
    });
  };

  /** Marks an artifact in the index, with its event. @returns whether it is still the one that was read */
  const mark = async (due: store.DueArtifact, found: store.Mark, data: JsonObject): Promise<boolean> => {
    const { tenant, artifactId, storageKey } = due;
    const caller = systemCaller(tenant, 'artifacts.scrub', ids.uuid());
    return database.write(tenant, async (tx) => {
      await lockObject(tx, storageKey);
      const marked = await store.mark(tx, due, found);
      if (marked) await record(tx, caller, `artifact.${found}`, { id: artifactId, version: marked.version }, data);
      return marked !== undefined;
    });
  };

  const check = async (due: store.DueArtifact): Promise<void> => {
    const { tenant, artifactId, sha256, storageKey } = due;
    let problem: string | undefined;
    try {
      problem = await problemOf(due);
      await failpoint('artifacts.scrub.read');
    } catch (error) {
      // Bytes that cannot be read say nothing about them, so they stay where they are.
      log.error({ err: error, tenant, artifactId }, 'unreadable evidence');
      await mark(due, 'unreadable', { sha256, cause: systemErrorCodeOf(error) });
      return;
    }
    if (problem === undefined) {
      await database.write(tenant, (tx) => store.setChecked(tx, due));
      return;
    }
    log.error({ tenant, artifactId, problem }, 'corrupt evidence');
    const isMarked = await mark(due, 'corrupt', { problem, sha256, storageKey });
    await failpoint('artifacts.scrub.marked');
    if (isMarked) await quarantine(due);
  };

  /** Reads what is due. @returns the number of objects that were read */
  const scrub = async (): Promise<number> => {
    // A scrubber that was killed between a mark and its move left these.
    for (const unmoved of await database.system.read((query) => store.listUnmoved(query, BATCH)))
      await quarantine(unmoved);
    let read = 0;
    for (let batches = 0; batches < MOST_BATCHES; batches++) {
      const due = await database.system.read((query) => store.listDue(query, scrubDays * DAY_MS, BATCH));
      // One at a time: requests of people come first.
      for (const artifact of due) await check(artifact);
      read += due.length;
      if (due.length < BATCH) break;
    }
    return read;
  };

  const sweep = createSweep({ database, clock, log, objects, staging, prefix });

  const duties: readonly Duty[] = [
    { name: 'artifacts.scrub', pattern: '*/10 * * * *', run: async () => void (await scrub()) },
    { name: 'artifacts.sweep', pattern: '23 * * * *', run: async () => void (await sweep()) },
  ];
  return { scrub, sweep, duties };
};
