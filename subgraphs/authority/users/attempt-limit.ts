import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import type { Database } from '@landfall/kernel/db/database';
import * as store from './back-off.store.ts';
import { networkOf } from './network.ts';

/** Limits attempts at one kind of secret for each person or address. */
export const createAttemptLimit = (database: Database, kind: string, allowance: store.Allowance) => {
  const keyOf = (guesser: string): Buffer => sha256Bytes(JSON.stringify([kind, networkOf(guesser)]));
  return {
    /** Counts an attempt as failed before it is checked. Returns the time to wait, 0 when it may proceed. */
    recordAttempt: (guesser: string): Promise<number> =>
      database.system.write(async (tx) => {
        const isCounted = (await store.count(tx, keyOf(guesser), allowance)) !== undefined;
        return isCounted ? 0 : Math.max(1, await store.waitMs(tx, keyOf(guesser)));
      }),
    /** Takes the count back after a correct attempt. */
    recordSuccess: (guesser: string): Promise<unknown> =>
      database.system.write((tx) => store.discount(tx, keyOf(guesser))),
  };
};
