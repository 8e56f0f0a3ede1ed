import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import type { Database } from '@landfall/kernel/db/database';
import type { Tx } from '@landfall/kernel/db/query';
import * as store from './back-off.store.ts';
import { networkOf } from './network.ts';

export const { count, forget, prune: pruneAttempts, waitMs } = store;
export type { Allowance } from './back-off.store.ts';

/** Allowance of one name from one address; unknown names count the same. */
const PAIR: store.Allowance = { free: 5, longestWaitMs: 900_000 };
/** Allowance of one address, which a whole office may share. */
const ADDRESS: store.Allowance = { free: 100, longestWaitMs: 60_000 };
/** Allowance of one name from all networks from which it has not signed in recently. */
const NAME: store.Allowance = { free: 100, longestWaitMs: 60_000 };

/** Permission for an attempt, or the time to wait. */
type AttemptDecision =
  | { readonly allowed: true; readonly attemptsLeft: number }
  | { readonly allowed: false; readonly waitMs: number };

const keysOf = (username: string, address: string) => {
  const network = networkOf(address);
  return {
    address: sha256Bytes(JSON.stringify(['address', network])),
    name: sha256Bytes(JSON.stringify(['name', username])),
    pair: sha256Bytes(JSON.stringify(['pair', username, network])),
  };
};

/** Applies all counters of an attempt; one refused by any counts in none, since its password is not checked. */
const counting = async (
  tx: Tx,
  counts: readonly (readonly [key: Buffer, allowance: store.Allowance])[],
): Promise<{ readonly failures: number } | { readonly waitMs: number }> => {
  let failures = 0;
  for (const [at, [key, allowance]] of counts.entries()) {
    const counted = await store.count(tx, key, allowance);
    if (counted === undefined) {
      for (const [earlier] of counts.slice(0, at)) await store.discount(tx, earlier);
      return { waitMs: await store.waitMs(tx, key) };
    }
    failures = counted;
  }
  return { failures };
};

// Rows are locked in one order everywhere, address, name and pair, so that no two attempts wait for each other.
export const createBackOff = (database: Database) => ({
  /** Counts an attempt as failed before the password is checked, so that concurrent ones cannot outrun the count. */
  recordAttempt: (username: string, address: string): Promise<AttemptDecision> =>
    database.system.write(async (tx): Promise<AttemptDecision> => {
      const keys = keysOf(username, address);
      const isKnown = await store.isKnown(tx, keys.pair);
      const counted = await counting(tx, [
        [keys.address, ADDRESS],
        ...(isKnown ? [] : ([[keys.name, NAME]] as const)),
        [keys.pair, PAIR],
      ]);
      if ('waitMs' in counted) return { allowed: false, waitMs: counted.waitMs };
      return { allowed: true, attemptsLeft: Math.max(0, PAIR.free - counted.failures) };
    }),
  /** Takes the count back after a correct password. */
  recordSuccess: (username: string, address: string): Promise<void> =>
    database.system.write(async (tx) => {
      const keys = keysOf(username, address);
      const wasKnown = await store.isKnown(tx, keys.pair);
      await store.discount(tx, keys.address);
      if (!wasKnown) await store.discount(tx, keys.name);
      await store.know(tx, keys.pair);
    }),
});

export type BackOff = ReturnType<typeof createBackOff>;
