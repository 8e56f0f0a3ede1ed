import { isDatabaseFault, isOutage, isRetryable } from '@landfall/kernel/db/errors';
import type { Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import pg from 'pg';

/** Whether it may go well when it is done once more, the same things with it: nothing that they say is at fault. */
const isTransient = (error: unknown): boolean => isRetryable(error) || isOutage(error) || isDatabaseFault(error);

/** A statement that had no end in time: half as much may have one. */
const isTooSlow = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === '57014';

/** Does something that leaves no trace in the transaction when it throws. */
const inSavepoint = async (tx: Tx, act: () => Promise<void>): Promise<void> => {
  await tx.run(sql`savepoint apart`);
  try {
    await act();
  } catch (error) {
    // A connection that is gone can do neither; the first error is the one to tell.
    await tx.run(sql`rollback to savepoint apart`).catch(() => 0);
    await tx.run(sql`release savepoint apart`).catch(() => 0);
    throw error;
  }
  await tx.run(sql`release savepoint apart`);
};

/**
 * Does something with all of what there is. Where that fails for what is in it, halves are taken, and halves of those,
 * until what fails stands alone: it is told of and stepped over, so that one thing never holds up the others.
 * @param act on some of the items, in their order; whatever it did of items that failed is undone
 * @param leave is told of each item that is stepped over
 * @throws what an outage or a lost race throws: then the whole transaction is done again, later
 */
export const applyBisecting = async <T>(
  tx: Tx,
  items: readonly T[],
  act: (some: readonly T[]) => Promise<void>,
  leave: (item: T, error: unknown) => void,
): Promise<void> => {
  if (items.length === 0) return;
  try {
    await inSavepoint(tx, () => act(items));
    return;
  } catch (error) {
    const [first, ...more] = items;
    if (isTransient(error) && !(isTooSlow(error) && more.length > 0)) throw error;
    if (first !== undefined && more.length === 0) {
      leave(first, error);
      return;
    }
  }
  const middle = Math.ceil(items.length / 2);
  await applyBisecting(tx, items.slice(0, middle), act, leave);
  await applyBisecting(tx, items.slice(middle), act, leave);
};
