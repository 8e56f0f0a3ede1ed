import pg from 'pg';
import { Fault } from '../core/fault.ts';
import { systemErrorCodeOf } from '../core/system-error-code.ts';

/** SQLSTATE classes that mean the database, not the statement, is at fault. */
const OUTAGE = /^(08|53|57|58|XX)/;
const RETRY = new Set(['40001', '40P01']);
const SOCKET = /^(ECONN|ENOENT|EPIPE|ETIMEDOUT|EAI_|ENOTFOUND)/;

/** Whether the error is a serialization failure or a deadlock, so that the transaction may be retried. */
export const isRetryable = (error: unknown): boolean => RETRY.has(systemErrorCodeOf(error));

/** Whether the error means that the connection is lost. */
export const isOutage = (error: unknown): boolean =>
  SOCKET.test(systemErrorCodeOf(error)) ||
  OUTAGE.test(systemErrorCodeOf(error)) ||
  (error instanceof Error && /Connection terminated|not queryable|timeout expired/.test(error.message));

/** Whether PostgreSQL refused a statement for its own sake, so that it refuses the same one again. */
export const isStatementError = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && !isOutage(error) && !isRetryable(error);

/** Whether an outage has become its Fault already. */
export const isDatabaseFault = (error: unknown): boolean =>
  error instanceof Fault && error.code === 'SYS_DATABASE_ERROR';

const databaseFault = (message: string, cause: unknown): Fault =>
  new Fault('SYS_DATABASE_ERROR', message, undefined, [], { cause });

/** Maps an outage before the commit to SYS_DATABASE_ERROR and returns other errors unchanged. */
export const asDatabaseFault = (error: unknown): unknown =>
  isOutage(error) ? databaseFault('The database does not answer. Nothing was written; try again.', error) : error;

/** Maps an error of COMMIT itself, after which the outcome of the transaction is unknown. */
export const asCommitFault = (error: unknown): unknown =>
  isOutage(error)
    ? databaseFault(
        'The database went away while it committed: whether this was written is unknown. Look, or repeat it with the same idempotency key.',
        error,
      )
    : error;

/** Runs an insert or update and maps a violation of the unique `constraint` to a given error. */
export const onConflict = async <T>(write: Promise<T>, constraint: string, fault: () => Fault): Promise<T> => {
  try {
    return await write;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === '23505' && error.constraint === constraint) throw fault();
    throw error;
  }
};
