import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Cursor } from '@landfall/kernel/events/read';
import type { Deps } from '@landfall/kernel/module';
import type { Lane } from '../fts/lane.ts';
import * as store from './chunk-changes.store.ts';

interface ReindexOptions extends Pick<Deps, 'database' | 'log'> {
  readonly lane: Pick<Lane, 'apply' | 'numbers'>;
  readonly batch: number;
  /** Number of chunk numbers compared with the database in one statement. */
  readonly compared?: number;
  readonly retryMs: number;
  /** Runs changes of the index one at a time. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  cursor(): Cursor;
  /** The index is another one than its snapshot. */
  changed(): void;
}

/** Indexes a tenant's documents again. */
export const createReindexer = (options: ReindexOptions) => {
  const { database, log, lane, batch, compared = 5_000, retryMs, inTurn, cursor, changed } = options;
  const failed = new Map<string, number>();
  const running = new Set<Promise<void>>();
  let isStopping = false;

  const position = (): string => `${cursor().xid}-${cursor().id}`;

  const putPage = async (tenant: string, after: number): Promise<number | undefined> => {
    const rows = await database.system.read((query) => store.listOwned(query, tenant, cursor(), after, batch));
    if (rows.length > 0) await lane.apply(rows.map(store.asIndexChange), position());
    return rows.at(-1)?.chunkId;
  };

  const removeOrphans = async (tenant: string, numbers: readonly number[]): Promise<void> => {
    const orphans = await database.system.read((query) => store.listOrphanedNumbers(query, tenant, numbers));
    if (orphans.length === 0) return;
    log.warn({ tenant, strays: orphans.length }, 'search index: documents that there are not were removed');
    const changes = orphans.map((number) => ({ kind: 'remove' as const, number }));
    await lane.apply(changes, position());
  };

  /** Runs one change of the index, then yields to other work. */
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isStopping) throw new Error('The index is closed.');
    const finished = await inTurn(work);
    await nextTurn();
    return finished;
  };

  const putAll = async (tenant: string): Promise<void> => {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const from: number = after;
      after = await step(() => putPage(tenant, from));
    }
    const numbers = await lane.numbers(tenant);
    for (let index = 0; index < numbers.length; index += compared)
      await step(() => removeOrphans(tenant, [...numbers.subarray(index, index + compared)]));
    changed();
  };

  /** Replaces documents by page, then removes strays, so none is missing meanwhile; `retryFailed` repeats failures. */
  const reindex = async (tenant: string): Promise<void> => {
    failed.delete(tenant);
    const all = putAll(tenant);
    running.add(all);
    try {
      await all;
    } catch (error) {
      failed.set(tenant, performance.now() + retryMs);
      throw error;
    } finally {
      running.delete(all);
    }
  };

  return {
    reindex,
    retryFailed(): void {
      for (const [tenant, notBefore] of failed)
        if (performance.now() >= notBefore)
          reindex(tenant).catch((error: unknown) => {
            if (!isStopping) log.error({ err: error, tenant }, 'search.feed: not put again');
          });
    },
    async stop(): Promise<void> {
      isStopping = true;
      await Promise.allSettled(running);
    },
  };
};
