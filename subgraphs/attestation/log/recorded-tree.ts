import type { Database } from '@landfall/kernel/db/database';
import type { SignedCheckpoint } from './log-state.ts';
import { getRecordedTree } from './recorded-tree.store.ts';

/** Size of a log as recorded in other tables: a lower bound, since a log never shrinks. */
export interface RecordedTree {
  readonly size: number;
  /** Largest tree that a statement was proved in; undefined if there is none. */
  readonly checkpoint: SignedCheckpoint | undefined;
}

/** Reads the recorded tree outside the sequencer's transaction, since trees recorded later are only larger. */
export const readRecordedTree = async (database: Database, origin: string): Promise<RecordedTree> => {
  const {
    attestedSize: size,
    attestedRoot: rootHash,
    sealedSize,
  } = await database.system.read((query) => getRecordedTree(query, origin));
  return {
    size: Math.max(size ?? 0, sealedSize ?? 0),
    checkpoint: size === null || rootHash === null ? undefined : { size, rootHash },
  };
};
