import type { Database } from '@landfall/kernel/db/database';
import type { SignedHead } from './log-state.ts';
import { getRecordedTree } from './recorded-tree.store.ts';

/** Size of a log as other tables recorded it: a lower bound, since a log never shrinks. */
export interface RecordedTree {
  readonly size: number;
  /** The largest tree that a statement was proved in; undefined while there is none. */
  readonly head: SignedHead | undefined;
}

/** Read on a connection of the system's, outside the sequencer's transaction: what is recorded meanwhile lies higher. */
export const readRecordedTree = async (database: Database, origin: string): Promise<RecordedTree> => {
  const {
    attestedSize: size,
    attestedRoot: rootHash,
    sealedSize,
  } = await database.system.read((query) => getRecordedTree(query, origin));
  return {
    size: Math.max(size ?? 0, sealedSize ?? 0),
    head: size === null || rootHash === null ? undefined : { size, rootHash },
  };
};
