import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import type { Database } from '@landfall/kernel/db/database';
import * as store from './back-off.store.ts';
import { networkOf } from './network.ts';

/** Guesses at one kind of secret by one guesser, a person or an address: whoever guesses makes nobody else wait. */
export interface AttemptLimit {
  /** Counts a guess as wrong before it is looked at. Returns how long it must wait, 0 when it may go on. */
  recordAttempt(guesser: string): Promise<number>;
  /** The guess was right. */
  recordSuccess(guesser: string): Promise<void>;
}

export const createAttemptLimit = (database: Database, kind: string, allowance: store.Allowance): AttemptLimit => {
  const keyOf = (guesser: string): Buffer => sha256Bytes(JSON.stringify([kind, networkOf(guesser)]));
  return {
    recordAttempt: (guesser) =>
      database.system.write(async (tx) => {
        const isCounted = (await store.count(tx, keyOf(guesser), allowance)) !== undefined;
        return isCounted ? 0 : Math.max(1, await store.waitMs(tx, keyOf(guesser)));
      }),
    recordSuccess: (guesser) =>
      database.system.write(async (tx) => {
        await store.discount(tx, keyOf(guesser));
      }),
  };
};
