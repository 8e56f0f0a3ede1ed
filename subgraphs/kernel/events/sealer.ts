import { startPollingLoop } from '../core/polling-loop.ts';
import type { Worker } from '../core/worker.ts';
import type { Database } from '../db/database.ts';
import { failpoint } from '../system/failpoint.ts';
import type { Log } from '../system/log.ts';
import type { Meter } from '../system/telemetry.ts';
import * as store from './seal.store.ts';
import { makeSeal, type SealHead, sealEntry } from './seal.ts';

/** Transparency log that seals are appended to. */
export interface SealLog {
  /** The first line of its checkpoints. Another platform domain begins another log. */
  readonly origin: string;
  /** Appends an entry's body once, however often it is called, and returns its index. */
  append(body: Uint8Array): Promise<{ readonly index: number }>;
}

/** Events of one seal at most: about ten milliseconds of this process and 48 kB of its row. */
const BATCH = 1_000;
/** Number of seals that are passed to the log concurrently, so that it writes them together. */
const SIDE_BY_SIDE = 64;
/** Pause between turns: an event is sealed within a second. */
const POLL_MS = 500;
const MAX_PAUSE_MS = 60_000;

const START = { xid: 0n, id: 0n };

interface SealerDeps {
  readonly database: Database;
  readonly log: Log;
  readonly meter?: Meter;
}

interface SealingDeps extends Pick<SealerDeps, 'database'> {
  /** Receives the age of the oldest unsealed event in seconds; 0 when there is none. */
  readonly reportAge?: (seconds: number) => void;
}

/** Seals a batch of events and returns their number: 0 while another process seals, a full batch if more follow. */
export const sealBatch = async ({ database, reportAge }: SealingDeps, batch = BATCH): Promise<number> => {
  const age = await database.system.read(store.findBacklogAge);
  reportAge?.(age ?? 0);
  if (age === undefined) return 0;
  const sealed = await database.system.write(async (tx) => {
    const { isMine: isOwn, now } = await store.lockSealing(tx);
    if (!isOwn) return 0;
    // Read under the lock, so the process that held it before has committed.
    const head = await store.findHead(tx);
    const seal = makeSeal(head, await store.listEvents(tx, head?.last ?? START, batch), now);
    if (!seal) return 0;
    await store.insert(tx, seal);
    await failpoint('events.seal.sealing');
    return seal.count;
  });
  if (sealed > 0) await failpoint('events.seal.sealed');
  return sealed;
};

interface Logged extends SealHead {
  readonly index: number;
}

/** Seals that were logged, up to the first that was not: the seals in the log are always the beginning of the chain. */
const untilFailure = (settled: readonly PromiseSettledResult<Logged>[]): Logged[] => {
  const end = settled.findIndex(({ status }) => status === 'rejected');
  return settled
    .slice(0, end === -1 ? undefined : end)
    .flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
};

/**
 * Appends the oldest unlogged seals to the log and records their indexes. A repetition after a crash is harmless:
 * the log returns existing entries.
 * @returns the number of recorded indexes
 * @throws errors of the log; indexes obtained before are recorded
 */
export const logSeals = async ({ database }: Pick<SealerDeps, 'database'>, log: SealLog): Promise<number> => {
  const seals = await database.system.read((query) => store.listUnlogged(query, SIDE_BY_SIDE));
  if (seals.length === 0) return 0;
  const settled = await Promise.allSettled(
    seals.map(async (seal): Promise<Logged> => ({ ...seal, ...(await log.append(sealEntry(seal))) })),
  );
  await failpoint('events.seal.anchored');
  const logged = untilFailure(settled);
  await database.system.write((tx) =>
    store.setLogIndexes(
      tx,
      log.origin,
      logged.map(({ sequence }) => sequence),
      logged.map(({ index }) => index),
    ),
  );
  const failed = settled.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  return logged.length;
};

/** Reports the age of the oldest unsealed event, which also grows while sealing fails. */
const measureAge = (meter: Meter | undefined): ((seconds: number) => void) => {
  let [oldest, lookedAt] = [0, 0];
  const instrument = { description: 'Age of the oldest event without a seal.', unit: 's' };
  meter?.gauge('events.unsealed.age', instrument, () => [
    [oldest === 0 ? 0 : oldest + (performance.now() - lookedAt) / 1_000],
  ]);
  return (seconds) => {
    [oldest, lookedAt] = [seconds, performance.now()];
  };
};

/** Seals at least once a second while events wait, and logs the seals independently, at the log's own rate. */
export const createSealer = ({ database, log, meter }: SealerDeps, sealLog: SealLog): Worker => ({
  name: 'kernel.sealer',
  start: () => {
    const reportAge = measureAge(meter);
    const pauses = { pollMs: POLL_MS, longestPauseMs: MAX_PAUSE_MS };
    const sealing = startPollingLoop({
      ...pauses,
      turn: async () => (await sealBatch({ database, reportAge })) === BATCH,
      onError: (err) => log.error({ err }, 'sealing of events'),
    });
    const logging = startPollingLoop({
      ...pauses,
      turn: async () => (await logSeals({ database }, sealLog)) === SIDE_BY_SIDE,
      onError: (err) => log.error({ err }, 'logging of seals'),
    });
    return {
      async [Symbol.asyncDispose]() {
        await Promise.all([sealing[Symbol.asyncDispose](), logging[Symbol.asyncDispose]()]);
      },
    };
  },
});
