import type { TenantId } from '@landfall/kernel/core/ids';
import type { Worker } from '@landfall/kernel/core/worker';
import type { Deps } from '@landfall/kernel/module';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';

interface PoolOptions {
  /** Items that are under way at once. */
  readonly slots: number;
  /** Items of one tenant that are under way at once, while there is room. */
  readonly share: number;
}

/**
 * Creates slots for the work of tenants, which a slow remote system may occupy for long. A tenant may use at most as
 * many slots as are free, so that its share shrinks with the load: however many tenants are slow, the next one finds a
 * slot until each of the slots has a tenant of its own.
 */
export const createTenantPool = ({ slots, share }: PoolOptions) => {
  const inProgress = new Map<TenantId, number>();
  const running = new Set<Promise<void>>();
  const free = (): number => slots - [...inProgress.values()].reduce((sum, count) => sum + count, 0);

  return {
    /** Items that may be leased now, all of them of one tenant if need be. */
    room: (): number => Math.min(share, Math.max(Math.floor(free() / 2), Math.min(free(), 1))),

    /** Tenants that have their share under way. */
    busy(): TenantId[] {
      const limit = Math.min(share, free());
      return [...inProgress].flatMap(([tenant, count]) => (count >= limit ? [tenant] : []));
    },

    /** Runs work that takes so many slots of a tenant until it ends. The work handles its own errors. */
    run(tenant: TenantId, count: number, work: () => Promise<void>): void {
      inProgress.set(tenant, (inProgress.get(tenant) ?? 0) + count);
      const run = work().finally(() => {
        const rest = (inProgress.get(tenant) ?? 0) - count;
        if (rest > 0) inProgress.set(tenant, rest);
        else inProgress.delete(tenant);
        running.delete(run);
      });
      running.add(run);
    },

    /** Resolves when no work is under way. */
    async idle(): Promise<void> {
      await Promise.all(running);
    },
  };
};

type TenantPool = ReturnType<typeof createTenantPool>;

interface PooledWorker extends Pick<Deps, 'log'> {
  readonly hints: ReturnType<Deps['hints']['of']>;
  readonly name: string;
  readonly pollMs: number;
  readonly pool: TenantPool;
  /** Begins work that is due in the pool, and returns the number of its items. */
  readonly start: () => Promise<number>;
}

/** Creates a worker that starts work in a pool; stopping it waits for the work in progress. */
export const pooledWorker = ({ pool, start, ...options }: PooledWorker) => {
  /** Does what is due to the end, and returns the number of its items. */
  const turn = async (): Promise<number> => {
    const count = await start();
    await pool.idle();
    return count;
  };
  const loop = pollingWorker({ ...options, turn: start });
  const worker: Worker = {
    name: loop.name,
    start: () => {
      const started = loop.start();
      return {
        async [Symbol.asyncDispose]() {
          await started[Symbol.asyncDispose]();
          await pool.idle();
        },
      };
    },
  };
  return { turn, worker };
};
