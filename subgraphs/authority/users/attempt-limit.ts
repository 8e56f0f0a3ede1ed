import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import type { Database } from '@landfall/kernel/db/database';
import * as store from './back-off.store.ts';
import { networkOf } from './network.ts';

/** Limits attempts at one kind of secret for each person or address. */
export const createAttemptLimit = (database: Database, kind: string, allowance: store.Allowance) => {
  const keyOf = (subject: string): Buffer => sha256Bytes(JSON.stringify([kind, networkOf(subject)]));
  return {
    /** Counts an attempt as failed before it is checked. Returns the time to wait, 0 when it may proceed. */
    recordAttempt: (subject: string): Promise<number> =>
      database.system.write(async (tx) => {
        const isCounted = (await store.count(tx, keyOf(subject), allowance)) !== undefined;
        return isCounted ? 0 : Math.max(1, await store.waitMs(tx, keyOf(subject)));
      }),
    /** Takes the count back after a correct attempt. */
    recordSuccess: (subject: string): Promise<unknown> =>
      database.system.write((tx) => store.discount(tx, keyOf(subject))),
  };
};
