import { createFairQueue } from '@landfall/kernel/core/fair-queue';

/**
 * Queues for threads of call graphs in one process; tenants take turns. A comparison of the largest graphs takes about
 * a gigabyte, so few run at once. An import lasts as long as its sender sends, so it has a queue of its own.
 */
export const createGraphThreads = () => ({
  imports: createFairQueue({ atOnce: 4, each: 2, waitMs: 15_000 }),
  comparisons: createFairQueue({ atOnce: 2, each: 1, waitMs: 60_000 }),
});

export type GraphThreads = ReturnType<typeof createGraphThreads>;
