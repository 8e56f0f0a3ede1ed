import type { Tx } from '@landfall/kernel/db/query';
import * as store from './object-lock.store.ts';

/** Locks the object of a key until the transaction ends: for who enters it in the index, and who moves it away. */
export const lockObject = (tx: Tx, storageKey: string): Promise<number> => store.lock(tx, storageKey);
