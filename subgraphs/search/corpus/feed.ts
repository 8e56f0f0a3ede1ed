import { setImmediate as nextTurn } from 'node:timers/promises';
import { type PollingLoop, startPollingLoop } from '@landfall/kernel/core/polling-loop';
import { type Cursor, isAfter, parseCursor } from '@landfall/kernel/events/read';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import type { Lane } from '../fts/lane.ts';
import { CHUNK } from './chunk.ts';
import * as store from './chunk-changes.store.ts';
import { createReindexer } from './reindex.ts';

interface FeedOptions extends Pick<Deps, 'database' | 'hints' | 'log'> {
  readonly lane: Lane;
  /** Rows of one reading at most: some two milliseconds of this thread. */
  readonly batch?: number;
  /** Batch size while the index loads: larger, so that fewer segments are made and merged. */
  readonly loadingBatch?: number;
  readonly pollMs?: number;
  /** Longest time between a change and its snapshot. */
  readonly snapshotMs?: number;
}

const START: Cursor = { xid: 0n, id: 0n };
const MAX_PAUSE_MS = 30_000;

interface Waiter {
  readonly target: Cursor;
  resolve(): void;
}

const createWaiters = () => {
  let waiting: readonly Waiter[] = [];
  return {
    until: (target: Cursor, at: Cursor): Promise<void> =>
      isAfter(target, at)
        ? new Promise((resolve) => {
            waiting = [...waiting, { target, resolve }];
          })
        : Promise.resolve(),
    reached(at: Cursor): void {
      const [existing, still] = [
        waiting.filter(({ target }) => !isAfter(target, at)),
        waiting.filter(({ target }) => isAfter(target, at)),
      ];
      waiting = still;
      for (const { resolve } of existing) resolve();
    },
  };
};

/** Feeds changes of the corpus to the index of this process. Runs in every process that answers searches. */
export const createFeed = (options: FeedOptions) => {
  const { database, hints, log, lane, batch = 400, loadingBatch = 2_000 } = options;
  const { pollMs = 500, snapshotMs = 180_000 } = options;
  const waiters = createWaiters();
  let following: PollingLoop | undefined;
  let cursor = parseCursor(lane.state().cursor) ?? START;
  let isReady = false;
  /** Failures since the last turn that went well: as long as that the index may have missed a removal. */
  let failures = 0;
  const ready = Promise.withResolvers<void>();
  let savedAt = performance.now();
  let saved = cursor;
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = turn.then(work);
    turn = next.catch(() => {});
    return next;
  };

  /** Discards an index that the feed of changes can no longer correct. */
  const resetIndex = async (reason: string): Promise<void> => {
    log.warn({ cursor: lane.state().cursor }, `search index is read anew: ${reason}`);
    await lane.clear();
    isReady = false;
    cursor = START;
    saved = START;
  };

  const checkStart = async (): Promise<void> => {
    const [pruned, newest] = await database.system.read((query) =>
      Promise.all([store.findPruned(query), store.findNewest(query)]),
    );
    if (!isAfter(cursor, START)) return;
    if (pruned && isAfter(pruned, cursor)) await resetIndex('it is older than what is kept of removals');
    else if (
      isAfter(
        cursor,
        [newest, pruned].reduce<Cursor>((most, at) => (at && isAfter(at, most) ? at : most), START),
      )
    )
      await resetIndex('it is ahead of the database');
  };

  /** Compares the number of chunks; a difference means another database or damage. */
  const checkExtent = async (): Promise<boolean> => {
    const { live, newer } = await database.system.read((query) => store.measure(query, cursor));
    if (newer > 0 || live === lane.state().chunks) return true;
    await resetIndex(`it has ${lane.state().chunks} chunks, the database ${live}`);
    return false;
  };

  const snapshot = async (): Promise<void> => {
    if (!isAfter(cursor, saved)) return;
    const at = cursor;
    await lane.snapshot();
    [saved, savedAt] = [at, performance.now()];
  };

  const read = (from: Cursor, limit: number): Promise<store.ChunkChange[]> =>
    database.system.read((query) => store.listChanges(query, from, limit));

  const apply = async (rows: readonly store.ChunkChange[]): Promise<void> => {
    const last = rows.at(-1);
    if (!last) return;
    const position = store.cursorTextOf(last);
    await lane.apply(rows.map(store.asIndexChange), position);
    await failpoint('search.feed.applied');
    cursor = parseCursor(position) ?? cursor;
    waiters.reached(cursor);
  };

  /** Reads one batch ahead of the index, so that reading and indexing overlap. */
  const catchUp = async (signal: AbortSignal): Promise<void> => {
    const limit = isReady ? batch : loadingBatch;
    let rows = await read(cursor, limit);
    while (rows.length > 0 && !signal.aborted) {
      const last = rows.at(-1);
      const next =
        last && rows.length === limit ? read({ xid: BigInt(last.xid), id: BigInt(last.chunkId) }, limit) : undefined;
      next?.catch(() => {});
      await apply(rows);
      await nextTurn();
      rows = (await next) ?? [];
      if (isReady && performance.now() - savedAt > snapshotMs) await snapshot();
    }
  };

  const begin = async (signal: AbortSignal): Promise<void> => {
    const opened = cursor;
    await checkStart();
    await catchUp(signal);
    if (signal.aborted) return;
    if (isAfter(opened, START) && isAfter(cursor, START) && !(await checkExtent())) await catchUp(signal);
    if (signal.aborted) return;
    lane.warm();
    isReady = true;
    ready.resolve();
    log.info({ ...lane.state() }, 'search index is ready');
    await snapshot();
  };

  const reindexer = createReindexer({
    database,
    log,
    lane,
    batch,
    retryMs: pollMs * 4,
    inTurn,
    cursor: () => cursor,
    changed: () => {
      saved = START;
    },
  });

  const advance = async (signal: AbortSignal): Promise<boolean> => {
    if (failures > 0 && isReady) await inTurn(checkStart);
    await inTurn(() => (isReady ? catchUp(signal) : begin(signal)));
    if (performance.now() - savedAt > snapshotMs) await inTurn(snapshot);
    failures = 0;
    reindexer.retryFailed();
    return false;
  };

  return {
    name: 'search.feed',
    /** Whether the index has caught up with the changes at its start and answers queries. */
    isReady: (): boolean => isReady && lane.state().state === 'ready',
    /** Resolves once the index is ready and all committed changes, even behind an open transaction, are searchable. */
    async settled(): Promise<void> {
      await ready.promise;
      const newest = await database.system.read(store.findNewest);
      if (!newest) return;
      following?.wake();
      await waiters.until(newest, cursor);
    },
    /** Indexes a tenant's documents again. Does nothing before the index is ready. */
    async reindex(tenant: string): Promise<void> {
      if (isReady) await reindexer.reindex(tenant);
    },
    start: (): AsyncDisposable => {
      const running = startPollingLoop({
        pollMs,
        longestPauseMs: MAX_PAUSE_MS,
        hints: hints.of(CHUNK, 'SearchImport'),
        turn: advance,
        onError: (err, inARow) => {
          failures = inARow;
          log.error({ err }, 'search.feed');
        },
      });
      following = running;
      return {
        async [Symbol.asyncDispose]() {
          await running[Symbol.asyncDispose]();
          await reindexer.stop();
          await inTurn(snapshot).catch((error: unknown) => log.error({ err: error }, 'search.feed snapshot'));
        },
      };
    },
  };
};

export type Feed = ReturnType<typeof createFeed>;
