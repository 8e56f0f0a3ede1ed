import type { Database } from '@landfall/kernel/db/database';
import { sha256Bytes } from '@landfall/kernel/digest';
import * as store from './back-off.store.ts';

/**
 * One name from one address: whoever guesses at a name from elsewhere makes its owner wait for nothing. A name that
 * nobody has counts the same.
 */
const PAIR: store.Allowance = { free: 5, longestWaitMs: 900_000 };
/** All names from one address, which a whole office may share. */
const ADDRESS: store.Allowance = { free: 100, longestWaitMs: 60_000 };

/** A try that may go on, or how long it must wait. */
export type Turn =
  | { readonly allowed: true; readonly triesLeft: number }
  | { readonly allowed: false; readonly waitMs: number };

export interface BackOff {
  /** Counts a try as failed before the password is looked at, so that tries at once cannot outrun the count. */
  take(username: string, address: string): Promise<Turn>;
  /** Takes the count back: the password was right. */
  forgive(username: string, address: string): Promise<void>;
}

const keysOf = (username: string, address: string) => ({
  pair: sha256Bytes(JSON.stringify(['pair', username, address])),
  address: sha256Bytes(JSON.stringify(['address', address])),
});

export const createBackOff = (database: Database): BackOff => ({
  take: (username, address) =>
    database.system.write(async (tx): Promise<Turn> => {
      const keys = keysOf(username, address);
      const failures = await store.count(tx, keys.pair, PAIR);
      const blocked = failures === undefined ? keys.pair : undefined;
      const isOver = blocked === undefined && (await store.count(tx, keys.address, ADDRESS)) === undefined;
      if (blocked || isOver) return { allowed: false, waitMs: await store.waitMs(tx, blocked ?? keys.address) };
      return { allowed: true, triesLeft: Math.max(0, PAIR.free - (failures ?? 0)) };
    }),
  forgive: (username, address) =>
    database.system.write(async (tx) => {
      const keys = keysOf(username, address);
      await store.forget(tx, keys.pair);
      await store.discount(tx, keys.address);
    }),
});
