import { isDatabaseFault, isOutage, isRetryable } from '@landfall/kernel/db/errors';
import type { Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import pg from 'pg';

/** Whether a retry with the same items may succeed. */
const isTransient = (error: unknown): boolean => isRetryable(error) || isOutage(error) || isDatabaseFault(error);

/** A statement that had no end in time: half as much may have one. */
const isTooSlow = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === '57014';

/** Does something that leaves no trace in the transaction when it throws. */
const inSavepoint = async (tx: Tx, work: () => Promise<void>): Promise<void> => {
  await tx.run(sql`savepoint apart`);
  try {
    await work();
  } catch (error) {
    // A closed connection can do neither; the first error is the one to report.
    await tx.run(sql`rollback to savepoint apart`).catch(() => 0);
    await tx.run(sql`release savepoint apart`).catch(() => 0);
    throw error;
  }
  await tx.run(sql`release savepoint apart`);
};

/**
 * Applies a function to all items. On a failure caused by the items it halves them until the failing one is alone, and
 * skips that, so that one item never blocks the others.
 * @param act applied to slices in order; rolled back where it throws
 * @param leave called for each skipped item
 * @throws transient errors; the whole transaction is then retried
 */
export const applyBisecting = async <T>(
  tx: Tx,
  items: readonly T[],
  apply: (some: readonly T[]) => Promise<void>,
  leave: (item: T, error: unknown) => void,
): Promise<void> => {
  if (items.length === 0) return;
  try {
    await inSavepoint(tx, () => apply(items));
    return;
  } catch (error) {
    const [first, ...rest] = items;
    if (isTransient(error) && !(isTooSlow(error) && rest.length > 0)) throw error;
    if (first !== undefined && rest.length === 0) {
      leave(first, error);
      return;
    }
  }
  const middle = Math.ceil(items.length / 2);
  await applyBisecting(tx, items.slice(0, middle), apply, leave);
  await applyBisecting(tx, items.slice(middle), apply, leave);
};
