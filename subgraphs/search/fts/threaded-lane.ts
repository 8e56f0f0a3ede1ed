import type { Log } from '@landfall/kernel/system/log';
import type { ChangeCursor, IndexChange, Lane, LaneAnswer, LaneQuery, LaneState } from './lane.ts';
import { LOADING_MERGE_FACTOR, MERGE_FACTOR } from './merge.ts';
import type { BuildRequests, Changed, QueryRequests, SharedSegment, Snapshot } from './messages.ts';
import { unpackAnswer } from './packed-answer.ts';
import { Thread, ThreadEnded } from './thread.ts';

/** Batches up to this size are built in the search thread, which is faster than a round trip. */
const SMALL_LIMIT = 24;
/** Segments of about one size that become one when an index has just been filled. */
const CLEANUP_MERGE_FACTOR = 2;
const START: ChangeCursor = '0-0';

const QUERY_THREAD = new URL('./lane.worker.ts', import.meta.url);
const BUILD_THREAD = new URL('./build.worker.ts', import.meta.url);

/** Delay before a dead thread is replaced; doubles with each recent death. */
const RESTART_MS = 50;
const MAX_RESTART_MS = 10_000;

/** Limit of one search; its thread is then replaced. */
const MAX_SEARCH_MS = 2_000;

interface ThreadedLaneOptions {
  readonly directory: string | undefined;
  readonly log: Log;
  readonly searchMs?: number | undefined;
}

/** Index in two threads, of which one searches and one builds; shared memory lets a replacement continue. */
export class ThreadedLane implements Lane {
  readonly #directory: string | undefined;
  readonly #log: Log;
  readonly #searchMs: number;
  readonly #segments = new Map<number, Omit<SharedSegment, 'id'>>();
  #query: Thread<QueryRequests>;
  #build: Thread<BuildRequests>;
  #chunks = 0;
  #cursor = START;
  #isWarm = false;
  /** Segments of the initial load are still unmerged. */
  #isUntidy = false;
  #isClosed = false;
  #deaths = 0;
  /** Resolves once a replaced search thread is restored. */
  #restoring: Promise<void> | undefined;
  #merging: Promise<void> | undefined;
  /** Changes, clearances and snapshots, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ directory, log, searchMs = MAX_SEARCH_MS }: ThreadedLaneOptions) {
    this.#directory = directory;
    this.#log = log;
    this.#searchMs = searchMs;
    this.#query = this.#startQuery();
    this.#build = this.#startBuild();
  }

  #startQuery(): Thread<QueryRequests> {
    const completed = (error: Error): void => {
      this.#log.error({ err: error }, 'search thread ended; another takes its place');
      this.#restoring = this.#restart();
    };
    return new Thread<QueryRequests>(QUERY_THREAD, completed, { search: this.#searchMs });
  }

  #startBuild(): Thread<BuildRequests> {
    return new Thread<BuildRequests>(BUILD_THREAD, (error) => {
      this.#log.error({ err: error }, 'search build thread ended; another takes its place');
      if (!this.#isClosed) this.#build = this.#startBuild();
    });
  }

  async #restart(): Promise<void> {
    const pause = Math.min(MAX_RESTART_MS, RESTART_MS * 2 ** this.#deaths++);
    await new Promise((resolve) => setTimeout(resolve, pause).unref());
    if (this.#isClosed) return;
    const query = this.#startQuery();
    this.#query = query;
    try {
      const changed = await query.ask('restore', [...this.#segments.values()]);
      this.#segments.clear();
      this.#note(changed);
      this.#restoring = undefined;
      this.#deaths = 0;
    } catch (error) {
      this.#log.error({ err: error }, 'search index was not restored');
      // This thread has nothing to search. A new one is started, as after a failure, and the request waits for it.
      await query.kill();
    }
  }

  #note({ added, dropped, chunks }: Changed): void {
    for (const { id, ...segment } of added) this.#segments.set(id, segment);
    for (const id of dropped) this.#segments.delete(id);
    this.#chunks = chunks;
  }

  async open(): Promise<void> {
    if (this.#directory === undefined) return;
    const snapshot = await this.#build.ask('open', { directory: this.#directory });
    if (!snapshot) return;
    if ('refused' in snapshot) this.#log.warn({ reason: snapshot.refused }, 'search snapshot thrown away');
    else await this.#restore(snapshot);
  }

  async #restore({ cursor, segments }: Snapshot): Promise<void> {
    this.#note(await this.#query.ask('restore', segments));
    this.#cursor = cursor;
  }

  async search(query: LaneQuery): Promise<LaneAnswer> {
    if (this.#restoring) throw new ThreadEnded('The search thread has ended; another is made ready.');
    return unpackAnswer(await this.#query.ask('search', query));
  }

  /** Resolves when there is a thread that has everything. */
  async #whole(): Promise<void> {
    while (this.#restoring && !this.#isClosed) await this.#restoring;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#turn.then(work);
    this.#turn = next.catch(() => undefined);
    return next;
  }

  apply(changes: readonly IndexChange[], cursor: ChangeCursor): Promise<void> {
    return this.#inTurn(async () => {
      await this.#whole();
      this.#note(await this.#take(changes));
      this.#cursor = cursor;
      this.#merging ??= this.#merge();
    });
  }

  async #take(changes: readonly IndexChange[]): Promise<Changed> {
    if (changes.length <= SMALL_LIMIT) return this.#query.ask('apply', changes);
    return this.#query.ask('install', await this.#build.ask('build', changes));
  }

  async #merge(): Promise<void> {
    try {
      for (;;) {
        const isWarm = this.#isWarm;
        const plan = await this.#query.ask('plan', { fan: this.#fan });
        if (!plan && isWarm === this.#isWarm && !this.#isUntidy) break;
        if (!plan) {
          if (isWarm) this.#isUntidy = false;
          continue;
        }
        const merged = await this.#build.ask('merge', plan);
        this.#note(await this.#query.ask('replace', { ...plan, merged }));
      }
    } catch (error) {
      if (!this.#isClosed) this.#log.warn({ err: error }, 'search segments were not merged');
    } finally {
      this.#merging = undefined;
    }
  }

  /** Merges more aggressively after the initial load, since each segment costs every query. */
  get #fan(): number {
    if (!this.#isWarm) return LOADING_MERGE_FACTOR;
    return this.#isUntidy ? CLEANUP_MERGE_FACTOR : MERGE_FACTOR;
  }

  warm(): void {
    this.#isUntidy ||= !this.#isWarm;
    this.#isWarm = true;
    this.#merging ??= this.#merge();
  }

  state(): LaneState {
    return {
      state: this.#isWarm && !this.#restoring ? 'ready' : 'cold',
      chunks: this.#chunks,
      segments: this.#segments.size,
      cursor: this.#cursor,
    };
  }

  numbers(tenant: string): Promise<Float64Array> {
    return this.#inTurn(async () => {
      await this.#whole();
      return this.#query.ask('numbers', { tenant });
    });
  }

  clear(tenant?: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#whole();
      this.#note(await this.#query.ask('clear', { tenant }));
      if (tenant === undefined) this.#cursor = START;
    });
  }

  snapshot(): Promise<void> {
    return this.#inTurn(async () => {
      const directory = this.#directory;
      if (directory === undefined) return;
      await this.#whole();
      const segments = [...this.#segments].map(([id, { buffer, removed }]) => ({
        id,
        buffer,
        removed: new Uint8Array(removed).slice(),
      }));
      await this.#build.ask('write', { directory, cursor: this.#cursor, segments });
    });
  }

  /** Kills both threads, which are replaced; for tests. */
  async abandon(): Promise<void> {
    await Promise.all([this.#query.kill(), this.#build.kill()]);
  }

  /** Resolves when no merge is due. */
  async settled(): Promise<void> {
    await this.#turn;
    await this.#merging;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#query.close(), this.#build.close()]);
  }
}

/** Opens the index with its snapshot. @param options.directory of the snapshot; without one nothing is stored */
export const createLane = async (options: { directory: string | undefined; log: Log }): Promise<Lane> => {
  const lane = new ThreadedLane(options);
  try {
    await lane.open();
    return lane;
  } catch (error) {
    await lane[Symbol.asyncDispose]();
    throw error;
  }
};
