import { AsyncLocalStorage } from 'node:async_hooks';

/** Use of a connection; code that outlives the use finds it inactive. */
interface Hold {
  isActive: boolean;
}

interface Scope {
  /** Name of the operation that uses the connection. */
  readonly operation: string;
  readonly hold: Hold | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();

const OUTSIDE = 'Work outside an operation';

/** Runs `act` under the operation's name, which the refusal of a second connection reports. */
export const inOperation = <T>(operation: string, work: () => Promise<T>): Promise<T> =>
  scopes.run({ operation, hold: scopes.getStore()?.hold }, work);

/**
 * Throws when the calling code holds a connection of the pool and wants another resource. A caller that waits for a
 * second connection or for the network blocks its first one; as many such callers as there are connections deadlock
 * the pool.
 * @throws TypeError that names the operation
 */
export const refuseWhileConnected = (requested: string): void => {
  const scope = scopes.getStore();
  if (scope?.hold?.isActive)
    throw new TypeError(`${scope.operation} asks for ${requested} while it holds a database connection`);
};

/** Runs `use` as the holder of a connection; the hold ends with it, also for what `use` leaves running. */
export const holdConnection = async <T>(use: () => Promise<T>): Promise<T> => {
  const hold: Hold = { isActive: true };
  try {
    return await scopes.run({ operation: scopes.getStore()?.operation ?? OUTSIDE, hold }, use);
  } finally {
    hold.isActive = false;
  }
};

/** Runs `act` outside of its caller's hold of a connection: for work that the caller starts and does not wait for. */
export const detached = <T>(work: () => T): T => scopes.exit(work);
