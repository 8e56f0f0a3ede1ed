import { Fault } from '@landfall/kernel/core/fault';

/**
 * So many at once, the others in their turn: each tenant waits in a line of its own, and the lines are served in rotation.
 * @throws Fault SYS_OVERLOADED where too many wait
 */
export type ConcurrencyLimit = <T>(tenant: string, act: () => Promise<T>) => Promise<T>;

export interface ConcurrencyOptions {
  /** That run at once. */
  readonly maxRunning: number;
  /** That wait at most, in all lines together. */
  readonly maxQueued: number;
  /** That wait at most in one line. */
  readonly maxQueuedEach: number;
}

/** Who waits, by tenant; the tenant that is next comes first. */
const createLines = ({ maxQueued, maxQueuedEach }: Pick<ConcurrencyOptions, 'maxQueued' | 'maxQueuedEach'>) => {
  const lines = new Map<string, (() => void)[]>();
  let waiting = 0;
  return {
    wait(tenant: string): Promise<void> {
      const line = lines.get(tenant) ?? [];
      if (waiting >= maxQueued || line.length >= maxQueuedEach)
        throw new Fault('SYS_OVERLOADED', 'Too many searches wait. Try again.', { patient: maxQueuedEach });
      waiting += 1;
      lines.set(tenant, line);
      return new Promise((resolve) => line.push(resolve));
    },
    /** The first of the line whose turn it is; that line is the last one then. */
    next(): (() => void) | undefined {
      const [first] = lines;
      if (!first) return undefined;
      const [tenant, line] = first;
      const resolve = line.shift();
      lines.delete(tenant);
      if (line.length > 0) lines.set(tenant, line);
      waiting -= 1;
      return resolve;
    },
  };
};

export const createConcurrencyLimit = ({ maxRunning, ...patience }: ConcurrencyOptions): ConcurrencyLimit => {
  const lines = createLines(patience);
  let free = maxRunning;
  const turn = (tenant: string): Promise<void> => {
    if (free === 0) return lines.wait(tenant);
    free -= 1;
    return Promise.resolve();
  };
  return async (tenant, act) => {
    await turn(tenant);
    try {
      return await act();
    } finally {
      // Whoever is next has this turn: nobody who comes later can take it.
      const next = lines.next();
      if (next) next();
      else free += 1;
    }
  };
};
