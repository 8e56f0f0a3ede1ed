import { isStatementError } from '@landfall/kernel/db/errors';
import type { Deps } from '@landfall/kernel/module';

/** Result of a turn. */
export interface Routed {
  /** Rows that were looked at. */
  readonly routed: number;
  /** Deliveries that are due. */
  readonly sent: number;
}

/** Rows that one transaction takes, at most, and a listener that is told which. */
export interface Batch<Row> {
  readonly limit: number;
  readonly taken: (rows: readonly Row[]) => void;
}

/** Row as the log names it: without what its producer wrote. */
interface Named {
  readonly tenant: string;
  readonly id?: string;
  readonly eventId?: string;
}

interface Turn<Row> {
  readonly name: string;
  /** Rows of one transaction, and of one turn. */
  readonly limit: number;
  /** Routes rows in one transaction, the oldest first. */
  readonly run: (batch: Batch<Row>) => Promise<Routed>;
  /** Sets a row aside with its reason, so that it is not taken again. */
  readonly park: (row: Row) => Promise<void>;
}

/** Whether the same row meets an error again: a statement that is refused, or a bug. */
const isLasting = (error: unknown): boolean =>
  isStatementError(error) || error instanceof TypeError || error instanceof RangeError;

/**
 * Creates turns over rows of all tenants of which none stops the others: where a batch meets an error that lasts, each of its
 * rows is routed by itself, and what fails then is parked.
 */
export const createIsolation =
  ({ log }: Pick<Deps, 'log'>) =>
  <Row extends Named>({ name, limit, run, park }: Turn<Row>) => {
    /** Routes the oldest row, or parks it. @returns nothing where there is no row */
    const routeOne = async (): Promise<Routed | undefined> => {
      const rows: Row[] = [];
      try {
        const done = await run({ limit: 1, taken: (taken) => void rows.push(...taken) });
        return done.routed === 0 ? undefined : done;
      } catch (error) {
        const row = rows.at(-1);
        if (!isLasting(error) || row === undefined) throw error;
        const { tenant, id, eventId } = row;
        log.error({ err: error, tenant, id, eventId }, `${name}.parked`);
        await park(row);
        return { routed: 1, sent: 0 };
      }
    };

    return async (): Promise<Routed> => {
      try {
        return await run({ limit, taken: () => undefined });
      } catch (error) {
        if (!isLasting(error)) throw error;
        log.error({ err: error }, name);
      }
      let [routed, sent] = [0, 0];
      for (let left = limit; left > 0; left -= 1) {
        const one = await routeOne();
        if (!one) break;
        routed += one.routed;
        sent += one.sent;
      }
      return { routed, sent };
    };
  };

export type Isolation = ReturnType<typeof createIsolation>;
