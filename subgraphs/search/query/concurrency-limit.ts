import { Fault } from '@landfall/kernel/core/fault';

/** Limits concurrency. Waiting tenants are served in rotation. @throws Fault SYS_OVERLOADED where the queue is full */
type ConcurrencyLimit = <T>(tenant: string, work: () => Promise<T>) => Promise<T>;

interface ConcurrencyOptions {
  readonly maxRunning: number;
  /** Over all tenants. */
  readonly maxQueued: number;
  readonly maxQueuedEach: number;
}

/** Queues by tenant; the first tenant is next. */
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
  return async (tenant, work) => {
    await turn(tenant);
    try {
      return await work();
    } finally {
      // The slot passes to the next request directly: a later one cannot take it.
      const next = lines.next();
      if (next) next();
      else free += 1;
    }
  };
};
